/* The low bits of an address hold a number, and the whole goes through a call as an integer. */
#include "check.h"

static NOINLINE double get(uintptr_t p) { return *(double *)(p & ~(uintptr_t)7) * ((p & 7) + 1); }

double tagged(const double *x) {
  double t[4], sum = 0;
  for (int i = 0; i < 4; i++) t[i] = x[i] * x[i];
  for (int i = 0; i < 4; i++) sum += get((uintptr_t)(t + i) | i) * x[i];
  return sum;
}
DERIVED(tagged)

int main(void) {
  double x[] = {1.3, -0.7, 2.1, 0.4};
  CHECK_DERIVED(tagged, x);
  return check_done();
}
