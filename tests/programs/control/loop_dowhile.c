/* Loops tested at the bottom; one of them inside another. */
#include "check.h"

static double spin(double a, double b, int n) {
  int i = 0;
  double s = 0;
  do {
    double t = a + i;
    int steps = 0;
    do {
      t = 0.5 * t + 0.3 * b;
      steps++;
    } while (t > 1.0 && steps < 10);
    s += t * t * b;
    i += 2;
  } while (i < n);
  return s;
}

static double five(const double *x) { return spin(x[0], x[1], 5); }
static void five_gradient(const double *x, double *g) {
  g[0] = __enzyme_autodiff((void *)spin, enzyme_out, x[0], enzyme_const, x[1], 5);
  g[1] = __enzyme_autodiff((void *)spin, enzyme_const, x[0], enzyme_out, x[1], 5);
}
static double five_tangent(const double *x, const double *v) {
  return __enzyme_fwddiff((void *)spin, enzyme_dup, x[0], v[0], enzyme_dup, x[1], v[1], 5);
}
static double once(const double *x) { return spin(x[0], x[1], -3); }
static void once_gradient(const double *x, double *g) {
  g[0] = __enzyme_autodiff((void *)spin, enzyme_out, x[0], enzyme_const, x[1], -3);
  g[1] = __enzyme_autodiff((void *)spin, enzyme_const, x[0], enzyme_out, x[1], -3);
}

int main(void) {
  double x[2] = {3.7, 0.9}, y[2] = {0.2, 0.4};
  CHECK(five, five_gradient, five_tangent, x);
  CHECK(five, five_gradient, five_tangent, y);
  CHECK(once, once_gradient, 0, x);
  return check_done();
}
