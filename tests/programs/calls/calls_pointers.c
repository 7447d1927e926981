/* Calls with pointer arguments: read, written, updated in place, into the middle of arrays, to scalars on the stack. */
#include "check.h"

static NOINLINE double norm2(const double *a, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) s += a[i] * a[i];
  return s;
}
static NOINLINE void axpy(double alpha, const double *x, double *y, int n) {
  for (int i = 0; i < n; i++) y[i] += alpha * x[i];
}
static NOINLINE void polar(double x, double y, double *r, double *t) {
  *r = sqrt(x * x + y * y);
  *t = atan2(y, x);
}
static void normalise(double *a, int n) {
  double k = 1 / sqrt(norm2(a, n));
  for (int i = 0; i < n; i++) a[i] *= k;
}

static double combine(const double *x, int n) {
  double y[8] = {0}, r, t, s = 0;
  axpy(2.0, x, y, n);
  axpy(norm2(x, n), x + 1, y, n - 1);
  normalise(y, n);
  for (int i = 0; i + 1 < n; i++) {
    polar(y[i] + 2, x[i], &r, &t);
    axpy(r * t, y, y + 1, 1);
    s += r - t * t;
  }
  return s + norm2(y + 2, n - 2);
}

static double objective(const double *x) { return combine(x, 6); }
static void gradient(const double *x, double *g) { __enzyme_autodiff((void *)combine, x, g, 6); }
static double tangent(const double *x, const double *v) {
  return __enzyme_fwddiff((void *)combine, enzyme_dup, x, v, 6);
}

int main(void) {
  double x[6] = {0.6, -0.45, 0.8, 0.5, -1.2, 0.3};
  CHECK(objective, gradient, tangent, x);
  return check_done();
}
