// refused: cannot differentiate 'atomicrmw' of active memory
/* An atomic addition to the bits of numbers: one more in the exponent is twice the number. */
#include "check.h"

static NOINLINE void twice(uint64_t *p, int n) {
  for (int i = 0; i < n; i++) __atomic_fetch_add(p + i, 1ull << 52, 0);
}

double doubled(const double *x) {
  double *a = malloc(32);
  for (int i = 0; i < 4; i++) a[i] = x[i] * x[i];
  twice((uint64_t *)a, 4);
  double sum = a[0] * a[1] + a[2] * a[3];
  free(a);
  return sum;
}
DERIVED(doubled)

int main(void) {
  double x[] = {1.3, -0.7, 2.1, 0.4};
  CHECK_DERIVED(doubled, x);
  return check_done();
}
