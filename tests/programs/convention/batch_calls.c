/* __enzyme_batch: one function called for several lanes. */
#include "check.h"
extern int enzyme_width, enzyme_scalar, enzyme_vector, enzyme_buffer;
struct four {
  double t[4];
};
struct two {
  double a, b;
};
extern struct four __enzyme_batch_four(void *, ...);
extern struct two __enzyme_batch_two(void *, ...);
extern void __enzyme_batch_void(void *, ...);

static double f(double x, double y) { return x * y + sin(y); }
static void fill(double *to, double value, int n) {
  for (int i = 0; i < n; i++) to[i] = value * i;
}
static double objective(const double *x) { /* a batch inside of what is differentiated */
#ifdef REFERENCE
  return f(x[0], x[1]) * f(x[2], x[1]);
#else
  struct two r = __enzyme_batch_two((void *)f, enzyme_width, 2, enzyme_vector, x[0], x[2], enzyme_scalar, x[1]);
  return r.a * r.b;
#endif
}
static void reverse(const double *x, double *g) { __enzyme_autodiff((void *)objective, enzyme_dup, x, g); }
static double forward(const double *x, const double *v) { return __enzyme_fwddiff((void *)objective, enzyme_dup, x, v); }

static void check_all(void) {
  double b[8] = {1, 0, 2, 0, 3, 0, 4, 0};
  struct four r = __enzyme_batch_four((void *)f, enzyme_width, 4, enzyme_vector, 1.0, 2.0, 3.0, 4.0, enzyme_scalar, 0.5);
  for (int i = 0; i < 4; i++) check_value("vector", r.t[i], f(i + 1, 0.5), 1e-14);
  r = __enzyme_batch_four((void *)f, enzyme_width, 4, enzyme_scalar, 0.5, enzyme_buffer, 2 * sizeof(double), b);
  for (int i = 0; i < 4; i++) check_value("buffer", r.t[i], f(0.5, i + 1), 1e-14);
  struct two s = __enzyme_batch_two((void *)f, enzyme_width, 2, 1.5, 2.5, 0.1, 0.2);
  check_value("default a", s.a, f(1.5, 0.1), 1e-14);
  check_value("default b", s.b, f(2.5, 0.2), 1e-14);
  double rows[3][4];
  __enzyme_batch_void((void *)fill, enzyme_width, 3, enzyme_buffer, sizeof rows[0], rows, enzyme_vector, 1.0, 2.0, 3.0,
                      enzyme_scalar, 4);
  for (int k = 0; k < 3; k++)
    for (int i = 0; i < 4; i++) check_close("rows", 4 * k + i, rows[k][i], (k + 1) * i, 0);
}

int main(void) {
  double x[] = {0.7, 1.3, -0.4};
  CHECK(objective, reverse, forward, x);
  CHECK_ENGINE(check_all());
  return check_done();
}
