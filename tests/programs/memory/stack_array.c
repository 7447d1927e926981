/* Scratch arrays on the stack: filled and read back, reused in a second loop, read in another order, partly filled. */
#include "check.h"

static double scratch(const double *x, int n) {
  double t[8] = {0}, u[8];
  for (int i = 0; i < n; i++) t[i] = x[i] * x[i];
  for (int i = 0; i < n; i++) u[n - 1 - i] = t[i] * x[(i + 2) % n];
  double s = 0;
  for (int i = 0; i < n; i++) s += u[i] * t[i];
  for (int i = 0; i < n; i++) t[i] = sin(u[i]) + t[7];
  for (int i = 0; i + 1 < n; i++) s += t[i] * t[i + 1];
  return s;
}

static double rows(const double *x, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) {
    double row[5];
    for (int j = 0; j < 5; j++) row[j] = x[i] * (j + 1) + s;
    for (int j = 1; j < 5; j++) row[j] *= cos(row[j - 1]);
    s += 0.1 * row[4] * row[0];
  }
  return s;
}

static double scratch_objective(const double *x) { return scratch(x, 6); }
static void scratch_gradient(const double *x, double *g) { __enzyme_autodiff((void *)scratch, x, g, 6); }
static double scratch_tangent(const double *x, const double *v) {
  return __enzyme_fwddiff((void *)scratch, enzyme_dup, x, v, 6);
}
static double rows_objective(const double *x) { return rows(x, 6); }
static void rows_gradient(const double *x, double *g) { __enzyme_autodiff((void *)rows, x, g, 6); }
static double rows_tangent(const double *x, const double *v) {
  return __enzyme_fwddiff((void *)rows, enzyme_dup, x, v, 6);
}

int main(void) {
  double x[6] = {0.6, -0.45, 0.8, 0.5, 0.3, -0.9};
  CHECK(scratch_objective, scratch_gradient, scratch_tangent, x);
  CHECK(rows_objective, rows_gradient, rows_tangent, x);
  return check_done();
}
