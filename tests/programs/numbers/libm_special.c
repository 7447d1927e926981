/* Gamma and Bessel functions. */
#define _GNU_SOURCE
#include "check.h"

#define TABLE(row)                                                          \
  row(tgamma, tgamma(x), 0.7, 4.3)                                          \
  row(tgamma_negative, tgamma(x), -0.6, -1.4)                               \
  row(lgamma, lgamma(x), 0.7, 14.3)                                         \
  row(lgamma_near_root, lgamma(x), 1.1, 2.4)                                \
  row(j0, j0(x), 0.7, 5.3)                                                  \
  row(j1, j1(x), 0.7, 5.3)                                                  \
  row(jn, jn(3, x), 0.7, 5.3)                                               \
  row(y0, y0(x), 0.7, 5.3)                                                  \
  row(y1, y1(x), 0.7, 5.3)                                                  \
  row(yn, yn(2, x), 0.7, 5.3)

#define DEFINE(name, value, point, other)                                                                       \
  static double name##_(double x) { return value; }                                                             \
  static double name##_objective(const double *p) { return name##_(p[0]); }                                     \
  static void name##_gradient(const double *p, double *g) { g[0] = __enzyme_autodiff((void *)name##_, p[0]); }   \
  static double name##_tangent(const double *p, const double *v) {                                              \
    return __enzyme_fwddiff((void *)name##_, enzyme_dup, p[0], v[0]);                                           \
  }
#define RUN(name, value, point, other)                                      \
  {                                                                         \
    double a[1] = {point}, b[1] = {other};                                  \
    CHECK(name##_objective, name##_gradient, name##_tangent, a);            \
    CHECK(name##_objective, name##_gradient, name##_tangent, b);            \
  }

TABLE(DEFINE)

int main(void) {
  TABLE(RUN)
  return check_done();
}
