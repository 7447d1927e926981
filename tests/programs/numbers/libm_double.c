/* The elementary functions of libm in double precision, reverse and forward, against closed forms. */
#define _GNU_SOURCE
#include "check.h"

#define TABLE(row)                                                                                \
  row(sin, sin(x), 0.7, -2.1, cos(x))                                                             \
  row(cos, cos(x), 0.7, -2.1, -sin(x))                                                            \
  row(tan, tan(x), 0.7, -1.1, 1 + tan(x) * tan(x))                                                \
  row(asin, asin(x), 0.7, -0.3, 1 / sqrt(1 - x * x))                                              \
  row(acos, acos(x), 0.7, -0.3, -1 / sqrt(1 - x * x))                                             \
  row(atan, atan(x), 0.7, -5.0, 1 / (1 + x * x))                                                  \
  row(sinh, sinh(x), 0.7, -2.1, cosh(x))                                                          \
  row(cosh, cosh(x), 0.7, -2.1, sinh(x))                                                          \
  row(tanh, tanh(x), 0.7, -2.1, 1 - tanh(x) * tanh(x))                                            \
  row(asinh, asinh(x), 0.7, -2.1, 1 / sqrt(1 + x * x))                                            \
  row(acosh, acosh(x), 1.7, 4.2, 1 / sqrt(x * x - 1))                                             \
  row(atanh, atanh(x), 0.7, -0.2, 1 / (1 - x * x))                                                \
  row(exp, exp(x), 0.7, -2.1, exp(x))                                                             \
  row(exp2, exp2(x), 0.7, -2.1, exp2(x) * log(2.0))                                               \
  row(exp10, exp10(x), 0.7, -2.1, exp10(x) * log(10.0))                                           \
  row(expm1, expm1(x), 0.7, -2.1, exp(x))                                                         \
  row(log, log(x), 0.7, 3.1, 1 / x)                                                               \
  row(log2, log2(x), 0.7, 3.1, 1 / (x * log(2.0)))                                                \
  row(log10, log10(x), 0.7, 3.1, 1 / (x * log(10.0)))                                             \
  row(log1p, log1p(x), 0.7, -0.4, 1 / (1 + x))                                                    \
  row(sqrt, sqrt(x), 0.7, 3.1, 0.5 / sqrt(x))                                                     \
  row(cbrt, cbrt(x), 0.7, -3.1, 1 / (3 * cbrt(x) * cbrt(x)))                                      \
  row(erf, erf(x), 0.7, -0.4, 1.1283791670955126 * exp(-x * x))                                   \
  row(erfc, erfc(x), 0.7, -0.4, -1.1283791670955126 * exp(-x * x))                                \
  row(fabs, fabs(x), 0.7, -0.4, x > 0 ? 1 : -1)                                                   \
  row(floor, floor(x), 0.7, -0.4, 0)                                                              \
  row(ceil, ceil(x), 0.7, -0.4, 0)                                                                \
  row(trunc, trunc(x), 0.7, -0.4, 0)                                                              \
  row(round, round(x), 0.7, -0.4, 0)                                                              \
  row(rint, rint(x), 0.7, -0.4, 0)                                                                \
  row(nearbyint, nearbyint(x), 0.7, -0.4, 0)                                                      \
  row(roundeven, __builtin_roundeven(x), 0.7, -0.4, 0)                                            \
  row(lrint, x * lrint(x), 0.7, -1.4, (double)lrint(x))                                           \
  row(lround, x * lround(x), 0.7, -1.4, (double)lround(x))                                        \
  row(llround, x * llround(x), 0.7, -1.4, (double)llround(x))                                     \
  row(ilogb, x * ilogb(x), 0.7, -3.4, ilogb(x))                                                   \
  row(logb, x * logb(x), 0.7, -3.4, logb(x))                                                      \
  row(ldexp, ldexp(x, 3), 0.7, -3.4, 8)                                                           \
  row(scalbn, scalbn(x, -2), 0.7, -3.4, 0.25)                                                     \
  row(scalbln, scalbln(x, 4L), 0.7, -3.4, 16)                                                     \
  row(fmod, fmod(x, 0.3), 0.7, -3.4, 1)                                                           \
  row(remainder, remainder(x, 0.3), 0.7, -3.5, 1)                                                 \
  row(drem, drem(x, 0.3), 0.7, -3.5, 1)                                                           \
  row(pow, pow(x, 2.5), 0.7, 3.4, 2.5 * pow(x, 1.5))                                              \
  row(pow_base, pow(1.7, x), 0.7, -3.4, pow(1.7, x) * log(1.7))                                   \
  row(pow_self, pow(x, x), 0.7, 1.4, pow(x, x) * (log(x) + 1))                                    \
  row(pow_negative, pow(x, 3.0), -0.7, -1.4, 3 * x * x)                                           \
  row(atan2_y, atan2(x, 1.5), 0.7, -3.4, 1.5 / (x * x + 2.25))                                    \
  row(atan2_x, atan2(1.5, x), 0.7, -3.4, -1.5 / (x * x + 2.25))                                   \
  row(hypot, hypot(x, 1.5), 0.7, -3.4, x / hypot(x, 1.5))                                         \
  row(hypot_self, hypot(x, 2 * x), 0.7, 3.4, sqrt(5.0))                                           \
  row(fdim, fdim(x, 0.2), 0.7, -3.4, x > 0.2 ? 1 : 0)                                             \
  row(fmin, fmin(x, 0.2), 0.7, -3.4, x < 0.2 ? 1 : 0)                                             \
  row(fmax, fmax(x, 0.2), 0.7, -3.4, x > 0.2 ? 1 : 0)                                             \
  row(copysign, copysign(x, -1.0), 0.7, -3.4, x > 0 ? -1 : 1)                                     \
  row(fma, fma(x, x, 2 * x), 0.7, -3.4, 2 * x + 2)                                                \
  row(nan_free, x * __builtin_isnan(x) + x * __builtin_signbit(x) + x, 0.7, 3.4, 1)

#define DEFINE(name, value, point, other, slope)                                                                  \
  static double name##_(double x) { return value; }                                                               \
  static double name##_objective(const double *p) { return name##_(p[0]); }                                       \
  static void name##_gradient(const double *p, double *g) { g[0] = __enzyme_autodiff((void *)name##_, p[0]); }     \
  static double name##_tangent(const double *p, const double *v) {                                                \
    return __enzyme_fwddiff((void *)name##_, enzyme_dup, p[0], v[0]);                                             \
  }                                                                                                               \
  static void name##_closed(const double *p, double *g) {                                                         \
    double x = p[0];                                                                                              \
    (void)x;                                                                                                      \
    g[0] = slope;                                                                                                 \
  }

#define RUN(name, value, point, other, slope)                                                   \
  {                                                                                             \
    double a[1] = {point}, b[1] = {other};                                                      \
    CHECK_CLOSED(name##_objective, name##_gradient, name##_closed, name##_tangent, a);          \
    CHECK_CLOSED(name##_objective, name##_gradient, name##_closed, name##_tangent, b);          \
  }

TABLE(DEFINE)

int main(void) {
  TABLE(RUN)
  return check_done();
}
