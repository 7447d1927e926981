/* A selection of libm in long double. */
#define _GNU_SOURCE
#include "check.h"

#define TABLE(row)                                    \
  row(sin, sinl(x), cos(x), 0.7)                      \
  row(cos, cosl(x), -sin(x), 0.7)                     \
  row(tan, tanl(x), 1 + tan(x) * tan(x), 0.7)         \
  row(asin, asinl(x), 1 / sqrt(1 - x * x), 0.3)       \
  row(atan, atanl(x), 1 / (1 + x * x), 0.7)           \
  row(exp, expl(x), exp(x), 0.7)                      \
  row(exp2, exp2l(x), exp2(x) * log(2.0), 0.7)        \
  row(expm1, expm1l(x), exp(x), 0.7)                  \
  row(log, logl(x), 1 / x, 0.7)                       \
  row(log2, log2l(x), 1 / (x * log(2.0)), 0.7)        \
  row(log10, log10l(x), 1 / (x * log(10.0)), 0.7)     \
  row(log1p, log1pl(x), 1 / (1 + x), 0.7)             \
  row(sqrt, sqrtl(x), 0.5 / sqrt(x), 0.7)             \
  row(cbrt, cbrtl(x), 1 / (3 * cbrt(x) * cbrt(x)), 0.7) \
  row(sinh, sinhl(x), cosh(x), 0.7)                   \
  row(tanh, tanhl(x), 1 - tanh(x) * tanh(x), 0.7)     \
  row(fabs, fabsl(x), x > 0 ? 1 : -1, -0.7)           \
  row(pow, powl(x, 2.5L), 2.5 * pow(x, 1.5), 0.7)     \
  row(hypot, hypotl(x, 1.5L), x / hypot(x, 1.5), 0.7) \
  row(fmod, fmodl(x, 0.3L), 1, 0.7)                   \
  row(fmax, fmaxl(x, 0.3L), 1, 0.7)                   \
  row(floor, x * floorl(x), floor(x), 2.7)            \
  row(fma, fmal(x, x, x), 2 * x + 1, 0.7)

#define DEFINE(name, value, slope, point)                                                                       \
  static double name##_(double input) {                                                                         \
    long double x = input;                                                                                      \
    return (double)(value);                                                                                     \
  }                                                                                                             \
  static double name##_objective(const double *p) { return name##_(p[0]); }                                     \
  static void name##_gradient(const double *p, double *g) { g[0] = __enzyme_autodiff((void *)name##_, p[0]); }   \
  static double name##_tangent(const double *p, const double *v) {                                              \
    return __enzyme_fwddiff((void *)name##_, enzyme_dup, p[0], v[0]);                                           \
  }                                                                                                             \
  static void name##_closed(const double *p, double *g) {                                                       \
    double x = p[0];                                                                                            \
    (void)x;                                                                                                    \
    g[0] = slope;                                                                                               \
  }
#define RUN(name, value, slope, point)                                                    \
  {                                                                                       \
    double a[1] = {point};                                                                \
    CHECK_CLOSED(name##_objective, name##_gradient, name##_closed, name##_tangent, a);    \
  }

TABLE(DEFINE)

int main(void) {
  TABLE(RUN)
  return check_done();
}
