/* Returns from the middle: from branches, from loops, from nested loops, before and after stores. */
#include "check.h"

static double early(double *x, int n, int mode) {
  if (mode == 0) return x[0] * x[0];
  double s = 0;
  for (int i = 0; i < n; i++) {
    s += x[i];
    x[i] = s * x[i];
    if (mode == 1 && s > 1) return s * s;
    for (int j = 0; j < i; j++) {
      s += x[j] * 0.1;
      if (mode == 2 && s > 1.5) return sin(s) * x[j];
      x[j] *= 0.5;
    }
  }
  if (mode == 3) return s;
  x[0] = exp(x[0]);
  return s * x[0];
}

#define CASE(name, mode)                                                                        \
  static double name(const double *x) {                                                         \
    double u[4], s;                                                                             \
    memcpy(u, x, sizeof u);                                                                     \
    s = early(u, 4, mode);                                                                      \
    return s + u[0] - 2 * u[3];                                                                 \
  }                                                                                             \
  static void name##_gradient(const double *x, double *g) {                                     \
    double u[4];                                                                                \
    memcpy(u, x, sizeof u);                                                                     \
    g[0] = 1;                                                                                   \
    g[3] = -2;                                                                                  \
    __enzyme_autodiff((void *)early, enzyme_dup, u, g, 4, mode);                                \
  }                                                                                             \
  static double name##_tangent(const double *x, const double *v) {                              \
    double u[4], d[4], s;                                                                       \
    memcpy(u, x, sizeof u);                                                                     \
    memcpy(d, v, sizeof d);                                                                     \
    s = __enzyme_fwddiff((void *)early, enzyme_dup, u, d, 4, mode);                             \
    return s + d[0] - 2 * d[3];                                                                 \
  }

CASE(mode0, 0)
CASE(mode1, 1)
CASE(mode2, 2)
CASE(mode3, 3)
CASE(mode4, 4)

int main(void) {
  double x[4] = {0.6, 0.45, 0.3, 0.8};
  CHECK(mode0, mode0_gradient, mode0_tangent, x);
  CHECK(mode1, mode1_gradient, mode1_tangent, x);
  CHECK(mode2, mode2_gradient, mode2_tangent, x);
  CHECK(mode3, mode3_gradient, mode3_tangent, x);
  CHECK(mode4, mode4_gradient, mode4_tangent, x);
  return check_done();
}
