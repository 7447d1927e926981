/* Exponentials, logarithms, roots, circular, hyperbolic and inverse functions, error and gamma functions, in double. */
#define _GNU_SOURCE
#include "scalar_table.h"
static double both(double x) { double s, c; sincos(x, &s, &c); return s * c + c; }
static double gamma_sign(double x) { int sign; double g = lgamma_r(x, &sign); return g * sign; }
#define TABLE(row)                                                    \
  row(e_exp, exp(x) * exp2(y) * exp10(x * 0.1), 0.4, -1.3)             \
  row(e_expm1, expm1(x) * y + expm1(y), 0.02, 1.3)                     \
  row(e_log, log(x) * log2(y) * log10(x + y), 2.4, 1.3)                \
  row(e_log1p, log1p(x) * log1p(y * y), 0.02, 1.3)                     \
  row(e_sqrt, sqrt(x) * cbrt(y), 2.4, -1.3)                            \
  row(e_hypot, hypot(x, y) * hypot(x, 2), 2.4, -1.3)                   \
  row(e_pow, pow(x, y) + pow(x, 3) + pow(2, y) + pow(x, 0.5), 2.4, 1.3) \
  row(e_pow_negative, pow(x, 2) * pow(x, 3) + pow(x, -1) * y, -2.4, 1.3) \
  row(e_powi, __builtin_powi(x, 5) * __builtin_powi(y, -2), 1.4, 1.3)  \
  row(e_sin, sin(x) * cos(y) + tan(x), 0.4, 1.3)                       \
  row(e_sincos, both(x) * both(y), 0.4, 1.3)                           \
  row(e_asin, asin(x) * acos(y) + atan(x * y), 0.4, -0.3)              \
  row(e_atan2, atan2(x, y) + atan2(-x, y * y), 0.4, -1.3)              \
  row(e_sinh, sinh(x) * cosh(y) + tanh(x), 0.4, 1.3)                   \
  row(e_asinh, asinh(x) * acosh(y + 1) + atanh(x), 0.4, 1.3)           \
  row(e_erf, erf(x) * erfc(y), 0.4, 0.3)                               \
  row(e_tgamma, tgamma(x) * lgamma(y), 2.4, 5.3)                       \
  row(e_lgamma_r, gamma_sign(x) * y, 2.4, 5.3)                         \
  row(e_bessel, j0(x) * j1(y) + jn(2, x) + y0(x) * y1(y) + yn(3, y), 2.4, 5.3) \
  row(e_fma, fma(x, y, x) * fma(-x, x, y), 2.4, 1.3)
TABLE(DEFINE_ROW)
int main(void) { TABLE(RUN_ROW) return check_done(); }
