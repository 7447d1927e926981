/* Loops that run zero times or once, alone and inside loops that do run. */
#include "check.h"

static double run(const double *x, int n, int m, int k) {
  double s = x[0];
  for (int i = 0; i < n; i++) {
    double inner = x[1];
    for (int j = 0; j < m; j++) inner = inner * x[2] + 0.5;
    for (int j = i; j < k; j++) inner += sin(inner) * x[3];
    s = s * 0.5 + inner * inner;
  }
  for (int j = 0; j < m; j++) s *= cos(x[j]);
  return s * s;
}

#define CASE(name, n, m, k)                                                                             \
  static double name(const double *x) { return run(x, n, m, k); }                                       \
  static void name##_gradient(const double *x, double *g) { __enzyme_autodiff((void *)run, x, g, n, m, k); } \
  static double name##_tangent(const double *x, const double *v) {                                      \
    return __enzyme_fwddiff((void *)run, enzyme_dup, x, v, n, m, k);                                    \
  }

CASE(none, 0, 0, 0)
CASE(outer_none, 0, 3, 3)
CASE(inner_none, 3, 0, 0)
CASE(ones, 1, 1, 1)
CASE(negative, -4, -1, -2)
CASE(shrinking, 4, 1, 2)
CASE(full, 2, 3, 4)

int main(void) {
  double x[4] = {0.9, -0.6, 0.7, 0.3};
  CHECK(none, none_gradient, none_tangent, x);
  CHECK(outer_none, outer_none_gradient, outer_none_tangent, x);
  CHECK(inner_none, inner_none_gradient, inner_none_tangent, x);
  CHECK(ones, ones_gradient, ones_tangent, x);
  CHECK(negative, negative_gradient, negative_tangent, x);
  CHECK(shrinking, shrinking_gradient, shrinking_tangent, x);
  CHECK(full, full_gradient, full_tangent, x);
  return check_done();
}
