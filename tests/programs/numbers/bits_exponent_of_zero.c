// aborts: the sum of an exponent and the bits of a number is not that number scaled
/* Zero is not scaled by a sum to its exponent. */
#include "check.h"

double zero(const double *x) {
  double a = x[0] - 0.7;
  uint64_t u;
  memcpy(&u, &a, 8);
  u += 4ull << 52;
  memcpy(&a, &u, 8);
  return a * x[1];
}
DERIVED(zero)

int main(void) {
  double at[] = {0.7, 1.3, -0.4};
  CHECK_DERIVED(zero, at);
  return check_done();
}
