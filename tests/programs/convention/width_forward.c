/* enzyme_width in forward mode: several tangents at once, of numbers and of arrays, in a struct, in order. */
#include "check.h"
extern int enzyme_width;

struct four {
  double t[4];
};
struct two {
  double a, b;
};
extern struct four __enzyme_fwddiff_four(void *, ...);
extern struct two __enzyme_fwddiff_two(void *, ...);

static double f(double x, double y) { return x * x * y + sin(x); }
static double g(const double *x, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) s += x[i] * x[(i + 1) % n] * exp(0.1 * x[i]);
  return s;
}

static void check_all(void) {
  double x = 0.7, y = 1.9;
  double fx = 2 * x * y + cos(x), fy = x * x;
  struct four r = __enzyme_fwddiff_four((void *)f, enzyme_width, 4, enzyme_dup, x, 1.0, 0.0, 2.0, -1.0, enzyme_dup, y, 0.0,
                                        1.0, 3.0, 0.5);
  check_value("four 0", r.t[0], fx, 1e-13);
  check_value("four 1", r.t[1], fy, 1e-13);
  check_value("four 2", r.t[2], 2 * fx + 3 * fy, 1e-13);
  check_value("four 3", r.t[3], -fx + 0.5 * fy, 1e-13);
  struct two s = __enzyme_fwddiff_two((void *)f, enzyme_width, 2, enzyme_const, x, y, 1.0, -2.0);
  check_value("two a", s.a, fy, 1e-13);
  check_value("two b", s.b, -2 * fy, 1e-13);
  double v[5] = {0.3, 1.1, -0.4, 0.8, 0.2}, d[2][5], single[2];
  for (int i = 0; i < 5; i++) d[0][i] = cos(i), d[1][i] = sin(2.0 * i);
  for (int k = 0; k < 2; k++) single[k] = __enzyme_fwddiff((void *)g, enzyme_dup, v, d[k], enzyme_const, 5);
  s = __enzyme_fwddiff_two((void *)g, enzyme_width, 2, enzyme_dup, v, d[0], d[1], enzyme_const, 5);
  check_value("array a", s.a, single[0], 1e-13);
  check_value("array b", s.b, single[1], 1e-13);
}

int main(void) {
  CHECK_ENGINE(check_all());
  return check_done();
}
