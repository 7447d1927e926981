/* Several outputs of the gradient at once, in order, beside shadows; floats among them. */
#include "check.h"

struct three { double a, b, c; };
extern struct three __enzyme_autodiff_three(void *, ...);
extern double __enzyme_autodiff_one(void *, double, double, int, double, double);

static double f(double a, const double *x, double b, int n, double c) {
  double s = a;
  for (int i = 0; i < n; i++) s += b * x[i] * x[i] + sin(c * s);
  return s * c;
}
static double g3(double a, double b, int n, double c, double d) { return a * a * b + n * c * sin(d); }

static double objective(const double *x) { return f(x[0], x + 3, x[1], 3, x[2]); }
static void gradient(const double *x, double *g) {
  struct three d = __enzyme_autodiff_three((void *)f, enzyme_out, x[0], enzyme_dup, x + 3, g + 3, enzyme_out, x[1],
                                           enzyme_const, 3, enzyme_out, x[2]);
  g[0] = d.a;
  g[1] = d.b;
  g[2] = d.c;
}
static double tangent(const double *x, const double *v) {
  return __enzyme_fwddiff((void *)f, enzyme_dup, x[0], v[0], enzyme_dup, x + 3, v + 3, enzyme_dup, x[1], v[1],
                          enzyme_const, 3, enzyme_dup, x[2], v[2]);
}
static double four(const double *x) { return g3(x[0], x[1], 3, x[2], x[3]); }
static void four_gradient(const double *x, double *g) {
  struct quad { double a, b, c, d; };
  extern struct quad __enzyme_autodiff_quad(void *, ...);
  struct quad q = __enzyme_autodiff_quad((void *)g3, x[0], x[1], 3, x[2], x[3]);
  g[0] = q.a, g[1] = q.b, g[2] = q.c, g[3] = q.d;
}
static void four_closed(const double *x, double *g) {
  g[0] = 2 * x[0] * x[1];
  g[1] = x[0] * x[0];
  g[2] = 3 * sin(x[3]);
  g[3] = 3 * x[2] * cos(x[3]);
}

int main(void) {
  double x[6] = {0.6, 0.45, 0.3, 0.8, -0.7, 0.2};
  CHECK(objective, gradient, tangent, x);
  CHECK_FULL(four, four_gradient, four_closed, 0, x, 4, 1e-6, 1e-10);
  return check_done();
}
