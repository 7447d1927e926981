/* The elementary functions of libm in single precision, against the double functions. */
#define _GNU_SOURCE
#include "check.h"

#define TABLE(row)                                                       \
  row(sin, sinf(x), sin(x), 0.7, -2.1)                                   \
  row(cos, cosf(x), cos(x), 0.7, -2.1)                                   \
  row(tan, tanf(x), tan(x), 0.7, -1.1)                                   \
  row(asin, asinf(x), asin(x), 0.7, -0.3)                                \
  row(acos, acosf(x), acos(x), 0.7, -0.3)                                \
  row(atan, atanf(x), atan(x), 0.7, -5.0)                                \
  row(sinh, sinhf(x), sinh(x), 0.7, -2.1)                                \
  row(cosh, coshf(x), cosh(x), 0.7, -2.1)                                \
  row(tanh, tanhf(x), tanh(x), 0.7, -2.1)                                \
  row(asinh, asinhf(x), asinh(x), 0.7, -2.1)                             \
  row(acosh, acoshf(x), acosh(x), 1.7, 4.2)                              \
  row(atanh, atanhf(x), atanh(x), 0.7, -0.2)                             \
  row(exp, expf(x), exp(x), 0.7, -2.1)                                   \
  row(exp2, exp2f(x), exp2(x), 0.7, -2.1)                                \
  row(exp10, exp10f(x), exp10(x), 0.7, -2.1)                             \
  row(expm1, expm1f(x), expm1(x), 0.7, -2.1)                             \
  row(log, logf(x), log(x), 0.7, 3.1)                                    \
  row(log2, log2f(x), log2(x), 0.7, 3.1)                                 \
  row(log10, log10f(x), log10(x), 0.7, 3.1)                              \
  row(log1p, log1pf(x), log1p(x), 0.7, -0.4)                             \
  row(sqrt, sqrtf(x), sqrt(x), 0.7, 3.1)                                 \
  row(cbrt, cbrtf(x), cbrt(x), 0.7, -3.1)                                \
  row(erf, erff(x), erf(x), 0.7, -0.4)                                   \
  row(erfc, erfcf(x), erfc(x), 0.7, -0.4)                                \
  row(tgamma, tgammaf(x), tgamma(x), 0.7, 3.4)                           \
  row(lgamma, lgammaf(x), lgamma(x), 0.7, 3.4)                           \
  row(fabs, fabsf(x), fabs(x), 0.7, -0.4)                                \
  row(floor, x * floorf(x), x * floor(x), 0.7, -0.4)                     \
  row(ceil, x * ceilf(x), x * ceil(x), 0.7, -0.4)                        \
  row(trunc, x * truncf(x), x * trunc(x), 1.7, -0.4)                     \
  row(round, x * roundf(x), x * round(x), 0.7, -0.4)                     \
  row(rint, x * rintf(x), x * rint(x), 0.7, -0.4)                        \
  row(nearbyint, x * nearbyintf(x), x * nearbyint(x), 0.7, -0.4)         \
  row(ldexp, ldexpf(x, 3), ldexp(x, 3), 0.7, -3.4)                       \
  row(scalbn, scalbnf(x, -2), scalbn(x, -2), 0.7, -3.4)                  \
  row(fmod, fmodf(x, 0.3f), fmod(x, 0.3), 0.7, -3.4)                     \
  row(remainder, remainderf(x, 0.3f), remainder(x, 0.3), 0.7, -3.5)      \
  row(pow, powf(x, 2.5f), pow(x, 2.5), 0.7, 3.4)                         \
  row(pow_base, powf(1.7f, x), pow(1.7, x), 0.7, -3.4)                   \
  row(atan2_y, atan2f(x, 1.5f), atan2(x, 1.5), 0.7, -3.4)                \
  row(atan2_x, atan2f(1.5f, x), atan2(1.5, x), 0.7, -3.4)                \
  row(hypot, hypotf(x, 1.5f), hypot(x, 1.5), 0.7, -3.4)                  \
  row(fdim, fdimf(x, 0.2f), fdim(x, 0.2), 0.7, -3.4)                     \
  row(fmin, fminf(x, 0.2f), fmin(x, 0.2), 0.7, -3.4)                     \
  row(fmax, fmaxf(x, 0.2f), fmax(x, 0.2), 0.7, -3.4)                     \
  row(copysign, copysignf(x, -1.0f), copysign(x, -1.0), 0.7, -3.4)       \
  row(fma, fmaf(x, x, 2 * x), fma(x, x, 2 * x), 0.7, -3.4)

extern float __enzyme_autodiff_float(void *, float);
extern float __enzyme_fwddiff_float(void *, float, float);

#define DEFINE(name, value, twin, point, other)                                                                       \
  static float name##_(float x) { return value; }                                                                     \
  static double name##_objective(const double *p) {                                                                   \
    double x = p[0];                                                                                                  \
    return twin;                                                                                                      \
  }                                                                                                                   \
  static void name##_gradient(const double *p, double *g) { g[0] = __enzyme_autodiff_float((void *)name##_, (float)p[0]); } \
  static double name##_tangent(const double *p, const double *v) {                                                    \
    return __enzyme_fwddiff_float((void *)name##_, (float)p[0], (float)v[0]);                                         \
  }

#define RUN(name, value, twin, point, other)                                  \
  {                                                                           \
    double a[1] = {point}, b[1] = {other};                                    \
    CHECK_SINGLE(name##_objective, name##_gradient, name##_tangent, a);       \
    CHECK_SINGLE(name##_objective, name##_gradient, name##_tangent, b);       \
  }

TABLE(DEFINE)

int main(void) {
  TABLE(RUN)
  return check_done();
}
