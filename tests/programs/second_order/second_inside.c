/* A Newton iteration on a derivative, inside of a function that is differentiated: argmin as a function of parameters. */
#include "second.h"

static double energy(double y, double a, double b) { return 0.25 * y * y * y * y + 0.5 * a * y * y - b * y + cos(y); }
#ifdef REFERENCE
static double slope(double y, double a, double b) { return y * y * y + a * y - b - sin(y); }
static double curve(double y, double a, double b) { return 3 * y * y + a - cos(y); }
#else
static double slope(double y, double a, double b) {
  return __enzyme_autodiff((void *)energy, enzyme_out, y, enzyme_const, a, enzyme_const, b);
}
static double curve(double y, double a, double b) {
  return __enzyme_fwddiff((void *)slope, enzyme_dup, y, 1.0, enzyme_const, a, enzyme_const, b);
}
#endif
static double f(const double *p) {
  double y = 1;
  for (int i = 0; i < 12; i++) y -= slope(y, p[0], p[1]) / curve(y, p[0], p[1]);
  return y * y + p[0];
}
static void closed(const double *p, double *g) {
  double y = sqrt(f(p) - p[0]), c = 3 * y * y + p[0] - cos(y);
  g[0] = 2 * y * (-y / c) + 1;
  g[1] = 2 * y / c;
}
DERIVED(f)

int main(void) {
  double x[2] = {1.7, 2.1};
  CHECK_CLOSED(f, f_gradient, closed, f_tangent, x);
  return check_done();
}
