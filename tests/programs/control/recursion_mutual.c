/* Two functions that call each other, with and without memory between them. */
#include "check.h"

static double odd(double x, int n);
static double even(double x, int n) { return n == 0 ? x : odd(x * x * 0.5 + 1, n - 1) * x; }
static double odd(double x, int n) { return n == 0 ? sin(x) : even(cos(x), n - 1) + x; }

static void right(double *a, int n);
static NOINLINE void left(double *a, int n) {
  if (n <= 0) return;
  a[n - 1] *= a[n];
  right(a, n - 1);
  a[n] += a[n - 1] * a[n];
}
static NOINLINE void right(double *a, int n) {
  if (n <= 0) return;
  a[n] = sin(a[n - 1]) + a[n];
  left(a, n - 1);
  a[0] += a[n] * a[n];
}

static double even_objective(const double *x) { return even(x[0], 5); }
static void even_gradient(const double *x, double *g) { g[0] = __enzyme_autodiff((void *)even, x[0], 5); }
static double even_tangent(const double *x, const double *v) {
  return __enzyme_fwddiff((void *)even, enzyme_dup, x[0], v[0], 5);
}
static double left_objective(const double *x) {
  double a[5], s = 0;
  memcpy(a, x, sizeof a);
  left(a, 4);
  for (int i = 0; i < 5; i++) s += a[i] * (i + 1);
  return s;
}
static void left_gradient(const double *x, double *g) {
  double a[5];
  memcpy(a, x, sizeof a);
  for (int i = 0; i < 5; i++) g[i] = i + 1;
  __enzyme_autodiff((void *)left, a, g, 4);
}
static double left_tangent(const double *x, const double *v) {
  double a[5], d[5], s = 0;
  memcpy(a, x, sizeof a);
  memcpy(d, v, sizeof d);
  __enzyme_fwddiff((void *)left, enzyme_dup, a, d, 4);
  for (int i = 0; i < 5; i++) s += d[i] * (i + 1);
  return s;
}

int main(void) {
  double x[1] = {0.7}, y[5] = {0.6, -0.45, 0.8, 0.5, -1.2};
  CHECK(even_objective, even_gradient, even_tangent, x);
  CHECK(left_objective, left_gradient, left_tangent, y);
  return check_done();
}
