/* One array given for several parameters, whole, shifted and overlapping, through calls that are not inlined. */
#include "check.h"

static NOINLINE void axpy(double *y, const double *x, double a, int n) {
  for (int i = 0; i < n; i++) y[i] += a * x[i] * y[i];
}
static NOINLINE double cross(double *a, double *b, double *c, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) {
    a[i] = b[i] * c[n - 1 - i];
    s += a[i] * c[i];
    b[n - 1 - i] -= 0.1 * s;
  }
  return s;
}
static double f(const double *x) {
  double v[8];
  memcpy(v, x, sizeof v);
  axpy(v, v, 0.5, 8);
  axpy(v + 1, v, x[2], 7);
  axpy(v, v + 2, v[3], 6);
  double s = cross(v, v, v, 5);
  s += cross(v + 1, v, v + 3, 5);
  for (int i = 0; i < 8; i++) s += v[i] * (i + 1);
  return s;
}
DERIVED(f)

int main(void) {
  double x[8] = {0.6, 0.7, -0.55, 0.75, -0.8, 0.4, 0.9, -0.2};
  CHECK_DERIVED(f, x);
  return check_done();
}
