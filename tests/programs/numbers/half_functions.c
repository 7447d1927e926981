/* Library functions and builtins at half precision: through float, and as builtins of the compiler. */
// flags: -fno-math-errno
#include "narrow.h"

static NOINLINE double through(const double *p) {
  _Float16 x = (_Float16)p[0], y = (_Float16)p[1];
  _Float16 a = (_Float16)sinf((float)x), b = (_Float16)expf((float)y), c = (_Float16)sqrtf((float)(x * x + y * y));
  return (double)(a * b + c);
}
static double through_twin(const double *p) { return sin(p[0]) * exp(p[1]) + sqrt(p[0] * p[0] + p[1] * p[1]); }
DERIVED(through)
static NOINLINE double builtins(const double *p) {
  _Float16 x = (_Float16)p[0], y = (_Float16)p[1];
  _Float16 a = __builtin_fabsf16(x), b = __builtin_sqrtf16(y), c = __builtin_fmaxf16(x, y), d = __builtin_fminf16(x, y);
  _Float16 e = __builtin_fmaf16(x, y, a), f = __builtin_copysignf16(b, x), g = __builtin_floorf16(x * (_Float16)4);
  return (double)(a * b + c * d + e * f) + (double)g;
}
static double builtins_twin(const double *p) {
  double x = p[0], y = p[1];
  return fabs(x) * sqrt(y) + fmax(x, y) * fmin(x, y) + (x * y + fabs(x)) * copysign(sqrt(y), x) + floor(4 * x);
}
DERIVED(builtins)

int main(void) {
  double a[] = {0.7, 1.3}, b[] = {-0.6, 0.4};
  CHECK_PAIR(through, a, 2e-2, 2e-2);
  CHECK_PAIR(through, b, 2e-2, 2e-2);
  CHECK_PAIR(builtins, a, 2e-2, 2e-2);
  CHECK_PAIR(builtins, b, 2e-2, 2e-2);
  return check_done();
}
