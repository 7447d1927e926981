/* The inverse square root from the bits of a float: its first guess is no differentiable function of them. */
// refused: cannot tell what numbers this i32 carries
#include "check.h"
static double f(const double *x) {
  float v = x[0] * x[1];
  int32_t i;
  memcpy(&i, &v, 4);
  i = 0x5f3759df - (i >> 1);
  float y;
  memcpy(&y, &i, 4);
  y = y * (1.5f - 0.5f * v * y * y);
  return y;
}
DERIVED(f)
int main(void) {
  double x[3] = {0.6, 0.7, -0.55};
  CHECK_DERIVED(f, x);
  return check_done();
}
