/* Constant floats and constant arrays among active ones; constants that are copied into active scratch. */
#include "check.h"

static double model(const double *x, const double *data, double a, double b, const double *y, int n) {
  double t[4], s = 0;
  for (int i = 0; i < n; i++) t[i] = data[i];
  for (int i = 0; i < n; i++) t[i] += a * data[n - 1 - i];
  for (int i = 0; i < n; i++) s += x[i] * t[i] * t[i] + b * y[i] * data[i];
  return s * b;
}

static const double fixed[4] = {0.5, -1, 2, 0.25};
/* x[0..3], y = x + 4, a = x[8], b = x[9] */
static double all(const double *x) { return model(x, fixed, x[8], x[9], x + 4, 4); }
static void all_gradient(const double *x, double *g) {
  struct two { double a, b; };
  extern struct two __enzyme_autodiff_two(void *, ...);
  struct two d = __enzyme_autodiff_two((void *)model, enzyme_dup, x, g, enzyme_const, fixed, enzyme_out, x[8], enzyme_out,
                                       x[9], enzyme_dup, x + 4, g + 4, enzyme_const, 4);
  g[8] = d.a;
  g[9] = d.b;
}
static double all_tangent(const double *x, const double *v) {
  return __enzyme_fwddiff((void *)model, enzyme_dup, x, v, enzyme_const, fixed, enzyme_dup, x[8], v[8], enzyme_dup, x[9],
                          v[9], enzyme_dup, x + 4, v + 4, enzyme_const, 4);
}
static double only_b(const double *b) { return model(fixed, fixed, 0.3, b[0], fixed, 4); }
static void only_b_gradient(const double *b, double *g) {
  g[0] = __enzyme_autodiff((void *)model, enzyme_const, fixed, enzyme_const, fixed, enzyme_const, 0.3, enzyme_out, b[0],
                           enzyme_const, fixed, 4);
}
static double only_b_tangent(const double *b, const double *v) {
  return __enzyme_fwddiff((void *)model, enzyme_const, fixed, enzyme_const, fixed, enzyme_const, 0.3, enzyme_dup, b[0],
                          v[0], enzyme_const, fixed, 4);
}
static double only_y(const double *y) { return model(fixed, fixed, 0.3, 0.7, y, 4); }
static void only_y_gradient(const double *y, double *g) {
  __enzyme_autodiff((void *)model, enzyme_const, fixed, enzyme_const, fixed, enzyme_const, 0.3, enzyme_const, 0.7,
                    enzyme_dup, y, g, 4);
}
static void only_y_closed(const double *y, double *g) {
  (void)y;
  for (int i = 0; i < 4; i++) g[i] = 0.49 * fixed[i];
}

int main(void) {
  double x[10] = {0.6, 0.45, 0.3, 0.8, -0.4, 0.2, 0.7, 1.1, 0.9, -0.8}, b[1] = {0.7}, y[4] = {0.1, 0.2, 0.3, 0.4};
  CHECK(all, all_gradient, all_tangent, x);
  CHECK(only_b, only_b_gradient, only_b_tangent, b);
  CHECK_CLOSED(only_y, only_y_gradient, only_y_closed, 0, y);
  return check_done();
}
