/* Values carried from one iteration to the next, swapped and delayed by several iterations. */
#include "check.h"

static double fibonacci(double a, double b, int n) {
  for (int i = 0; i < n; i++) {
    double c = a + b + 0.1 * a * b;
    a = b;
    b = sin(c);
  }
  return b - a * b;
}

static double delay(const double *x, int n) {
  double p = x[0], q = x[1], r = x[2], s = 0;
  for (int i = 3; i < n; i++) {
    s += p * q;
    p = q;
    q = r;
    r = x[i] * cos(s);
  }
  return s + p * q * r;
}

static double swap(double a, double b, int n) {
  for (int i = 0; i < n; i++) {
    double t = a;
    a = b;
    b = t;
    if (i & 1) a *= b;
  }
  return a + 3 * b * b;
}

static double fibonacci_objective(const double *x) { return fibonacci(x[0], x[1], 9); }
static void fibonacci_gradient(const double *x, double *g) {
  g[0] = __enzyme_autodiff((void *)fibonacci, enzyme_out, x[0], enzyme_const, x[1], 9);
  g[1] = __enzyme_autodiff((void *)fibonacci, enzyme_const, x[0], enzyme_out, x[1], 9);
}
static double fibonacci_tangent(const double *x, const double *v) {
  return __enzyme_fwddiff((void *)fibonacci, enzyme_dup, x[0], v[0], enzyme_dup, x[1], v[1], 9);
}
static double delay_objective(const double *x) { return delay(x, 9); }
static void delay_gradient(const double *x, double *g) { __enzyme_autodiff((void *)delay, x, g, 9); }
static double delay_tangent(const double *x, const double *v) {
  return __enzyme_fwddiff((void *)delay, enzyme_dup, x, v, 9);
}
static double swap_objective(const double *x) { return swap(x[0], x[1], 7); }
static void swap_gradient(const double *x, double *g) {
  g[0] = __enzyme_autodiff((void *)swap, enzyme_out, x[0], enzyme_const, x[1], 7);
  g[1] = __enzyme_autodiff((void *)swap, enzyme_const, x[0], enzyme_out, x[1], 7);
}
static double swap_tangent(const double *x, const double *v) {
  return __enzyme_fwddiff((void *)swap, enzyme_dup, x[0], v[0], enzyme_dup, x[1], v[1], 7);
}

int main(void) {
  double x[2] = {0.4, 0.9}, y[9] = {0.3, 0.8, -0.2, 0.6, 0.45, -0.7, 0.4, 0.15, -0.35}, z[2] = {1.1, 0.9};
  CHECK(fibonacci_objective, fibonacci_gradient, fibonacci_tangent, x);
  CHECK(delay_objective, delay_gradient, delay_tangent, y);
  CHECK(swap_objective, swap_gradient, swap_tangent, z);
  return check_done();
}
