/* The functions of libm that also write through a pointer: frexp, modf, sincos, remquo, lgamma_r. */
#define _GNU_SOURCE
#include "check.h"

static double with_frexp(double x) {
  int e;
  double m = frexp(x * x, &e);
  return m * m + e * x;
}
static double with_modf(double x) {
  double whole, part = modf(x * 3, &whole);
  return part * part + whole * x;
}
static double with_sincos(double x) {
  double s, c;
  sincos(x * x, &s, &c);
  return s * c * c + s;
}
static double with_remquo(double x) {
  int q;
  double r = remquo(x * 5, 0.7, &q);
  return r * r + q * x;
}

#define CASE(name)                                                                                               \
  static double name##_objective(const double *p) { return name(p[0]); }                                         \
  static void name##_gradient(const double *p, double *g) { g[0] = __enzyme_autodiff((void *)name, p[0]); }       \
  static double name##_tangent(const double *p, const double *v) {                                               \
    return __enzyme_fwddiff((void *)name, enzyme_dup, p[0], v[0]);                                               \
  }
CASE(with_frexp)
CASE(with_modf)
CASE(with_sincos)
CASE(with_remquo)

int main(void) {
  double x[1] = {1.23};
  CHECK(with_frexp_objective, with_frexp_gradient, with_frexp_tangent, x);
  CHECK(with_modf_objective, with_modf_gradient, with_modf_tangent, x);
  CHECK(with_sincos_objective, with_sincos_gradient, with_sincos_tangent, x);
  CHECK(with_remquo_objective, with_remquo_gradient, with_remquo_tangent, x);
  return check_done();
}
