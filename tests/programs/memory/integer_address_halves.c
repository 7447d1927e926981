/* An address in two halves, put together again where nothing says that it is one: declined, not dropped. */
// refused: pointer
#include "check.h"

static volatile int z;
static double f(const double *x) {
  uint32_t h[2];
  uintptr_t p = (uintptr_t)x;
  h[0] = (uint32_t)p;
  h[1] = (uint32_t)(p >> 32);
  uintptr_t q = (uintptr_t)h[0 + z] | (uintptr_t)h[1 - z] << 32;
  return *(double *)q * x[1] + x[2] * x[2];
}
DERIVED(f)

int main(void) {
  double x[3] = {0.6, 0.7, -0.55};
  CHECK_DERIVED(f, x);
  return check_done();
}
