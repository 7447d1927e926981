// aborts: two numbers are mixed by 'and' of their bits
// reference: none (it stops only when a derivative is taken)
/* A mask that is none: the bits of a number are cut where nobody knows what is left. */
#include "check.h"

static uint64_t keep[2] = {~0ull, 0xffffffff00000000ull};

static double cut(const double *x) {
  double sum = 0;
  for (int i = 0; i < 2; i++) {
    uint64_t u;
    double y = x[i] * x[i];
    memcpy(&u, &y, 8);
    u &= keep[i];
    memcpy(&y, &u, 8);
    sum += y;
  }
  return sum;
}

int main(void) {
  double x[] = {0.7, -1.1}, g[2] = {0, 0};
  __enzyme_autodiff((void *)cut, enzyme_dup, x, g);
  printf("ok %g\n", g[0]);
  return 0;
}
