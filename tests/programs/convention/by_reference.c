/* enzyme_byref: the value of a parameter is read from memory. */
#include "check.h"
extern int enzyme_byref;
struct pair {
  double a, b;
};
extern struct pair __enzyme_autodiff_pair(void *, ...);

static double f(double x, double y) { return x * x * y; }
static double g(struct pair p, int n) { return p.a * p.b * n; }

static void check_all(void) {
  double x = 3, y = 2, dx = 0.5;
  struct pair p = {3, 4};
  struct pair r = __enzyme_autodiff_pair((void *)f, enzyme_byref, sizeof x, &x, enzyme_byref, sizeof y, enzyme_out, &y);
  check_value("x", r.a, 12, 1e-14);
  check_value("y", r.b, 9, 1e-14);
  double t = __enzyme_fwddiff((void *)f, enzyme_byref, sizeof x, enzyme_dup, &x, &dx, enzyme_const, y);
  check_value("tangent", t, 6, 1e-14);
  r = __enzyme_autodiff_pair((void *)g, enzyme_out, enzyme_byref, sizeof p, &p, enzyme_const, 2);
  check_value("a", r.a, 8, 1e-14);
  check_value("b", r.b, 6, 1e-14);
}

int main(void) {
  CHECK_ENGINE(check_all());
  return check_done();
}
