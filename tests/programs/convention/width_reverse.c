/* enzyme_width in reverse mode: each lane has its own shadows; here the adjoints of three outputs at once. */
#include "check.h"
extern int enzyme_width;
struct pair {
  double a[2];
};
extern struct pair __enzyme_autodiff_pair(void *, ...);
struct both {
  double x[2], y[2];
};
extern struct both __enzyme_autodiff_both(void *, ...);

static void f(const double *x, double *y) {
  y[0] = x[0] * x[1];
  y[1] = sin(x[0]) + x[2];
  y[2] = x[2] * x[2] * x[1];
}
static double g(double x) { return x * x; }
static double h(double x, double y) { return x * y * y; }

static void check_all(void) {
  double x[3] = {0.7, 1.3, -0.4}, y[3];
  double dx[3][3] = {{0}}, dy[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  __enzyme_autodiff((void *)f, enzyme_width, 3, enzyme_dup, x, dx[0], dx[1], dx[2], enzyme_dup, y, dy[0], dy[1], dy[2]);
  double expected[3][3] = {{1.3, 0.7, 0}, {cos(0.7), 0, 1}, {0, 0.16, 2 * -0.4 * 1.3}};
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) check_value("jacobian", dx[i][j], expected[i][j], 1e-13);
  struct pair r = __enzyme_autodiff_pair((void *)g, enzyme_width, 2, enzyme_out, 3.0);
  check_value("lane 0", r.a[0], 6, 1e-14);
  check_value("lane 1", r.a[1], 6, 1e-14);
  struct both s = __enzyme_autodiff_both((void *)h, enzyme_width, 2, enzyme_out, 3.0, enzyme_out, 0.5);
  for (int k = 0; k < 2; k++) {
    check_value("x", s.x[k], 0.25, 1e-14);
    check_value("y", s.y[k], 3, 1e-14);
  }
}

int main(void) {
  CHECK_ENGINE(check_all());
  return check_done();
}
