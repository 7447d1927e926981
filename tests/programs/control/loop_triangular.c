/* Inner bounds that depend on the outer counter: lower, strictly upper, and a tetrahedron. */
#include "check.h"

static double lower(const double *x, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) {
    double p = 1;
    for (int j = 0; j <= i; j++) p *= x[j] + 0.1 * i;
    s += p * p;
  }
  return s;
}

static double upper(const double *x, int n) {
  double s = 0;
  for (int i = 0; i < n; i++)
    for (int j = i + 1; j < n; j++) s += exp(-(x[i] - x[j]) * (x[i] - x[j])) * (s + 1) * 0.2;
  return s;
}

static double tetrahedron(const double *x, int n) {
  double s = 0.1;
  for (int i = 0; i < n; i++)
    for (int j = i; j < n; j++)
      for (int k = j; k < n - i; k++) s += 0.1 * s * x[i] + x[j] * x[k];
  return s;
}

static double lower_objective(const double *x) { return lower(x, 5); }
static void lower_gradient(const double *x, double *g) { __enzyme_autodiff((void *)lower, x, g, 5); }
static double lower_tangent(const double *x, const double *v) {
  return __enzyme_fwddiff((void *)lower, enzyme_dup, x, v, 5);
}
static double upper_objective(const double *x) { return upper(x, 5); }
static void upper_gradient(const double *x, double *g) { __enzyme_autodiff((void *)upper, x, g, 5); }
static double upper_tangent(const double *x, const double *v) {
  return __enzyme_fwddiff((void *)upper, enzyme_dup, x, v, 5);
}
static double tetrahedron_objective(const double *x) { return tetrahedron(x, 5); }
static void tetrahedron_gradient(const double *x, double *g) { __enzyme_autodiff((void *)tetrahedron, x, g, 5); }
static double tetrahedron_tangent(const double *x, const double *v) {
  return __enzyme_fwddiff((void *)tetrahedron, enzyme_dup, x, v, 5);
}

int main(void) {
  double x[5] = {0.8, 1.2, -0.6, 0.5, 0.9};
  CHECK(lower_objective, lower_gradient, lower_tangent, x);
  CHECK(upper_objective, upper_gradient, upper_tangent, x);
  CHECK(tetrahedron_objective, tetrahedron_gradient, tetrahedron_tangent, x);
  return check_done();
}
