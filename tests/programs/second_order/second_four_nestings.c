/* x^3 y + sin(x y): second derivatives by all four nestings, against closed forms. */
#include "check.h"

static double f(double x, double y) { return x * x * x * y + sin(x * y); }
static double closed_xx(double x, double y) { return 6 * x * y - y * y * sin(x * y); }
static double closed_xy(double x, double y) { return 3 * x * x + cos(x * y) - x * y * sin(x * y); }

#ifndef REFERENCE
static double reverse_x(double x, double y) { return __enzyme_autodiff((void *)f, enzyme_out, x, enzyme_const, y); }
static double forward_x(double x, double y) {
  return __enzyme_fwddiff((void *)f, enzyme_dup, x, 1.0, enzyme_const, y);
}
static double forward_over_reverse(double x, double y, double dx, double dy) {
  return __enzyme_fwddiff((void *)reverse_x, enzyme_dup, x, dx, enzyme_dup, y, dy);
}
static double forward_over_forward(double x, double y, double dx, double dy) {
  return __enzyme_fwddiff((void *)forward_x, enzyme_dup, x, dx, enzyme_dup, y, dy);
}
struct pair {
  double x, y;
};
extern struct pair __enzyme_autodiff_pair(void *, ...);
static struct pair reverse_over_reverse(double x, double y) {
  return __enzyme_autodiff_pair((void *)reverse_x, enzyme_out, x, enzyme_out, y);
}
static struct pair reverse_over_forward(double x, double y) {
  return __enzyme_autodiff_pair((void *)forward_x, enzyme_out, x, enzyme_out, y);
}

static void check_all(double x, double y) {
  double xx = closed_xx(x, y), xy = closed_xy(x, y);
  check_value("forward over reverse xx", forward_over_reverse(x, y, 1, 0), xx, 1e-12);
  check_value("forward over reverse xy", forward_over_reverse(x, y, 0, 1), xy, 1e-12);
  check_value("forward over forward xx", forward_over_forward(x, y, 1, 0), xx, 1e-12);
  check_value("forward over forward xy", forward_over_forward(x, y, 0, 1), xy, 1e-12);
  struct pair a = reverse_over_reverse(x, y), b = reverse_over_forward(x, y);
  check_value("reverse over reverse xx", a.x, xx, 1e-12);
  check_value("reverse over reverse xy", a.y, xy, 1e-12);
  check_value("reverse over forward xx", b.x, xx, 1e-12);
  check_value("reverse over forward xy", b.y, xy, 1e-12);
}
#endif

int main(void) {
  CHECK_ENGINE(check_all(0.7, 1.3));
  CHECK_ENGINE(check_all(-1.1, 0.4));
  return check_done();
}
