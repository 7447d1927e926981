/* Arrays of variable length and alloca, in loops, in branches, in recursion, passed to noinline functions. */
#include "check.h"
#include <alloca.h>

static NOINLINE double reverse_dot(const double *a, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) s += a[i] * a[n - 1 - i];
  return s;
}

static NOINLINE void fill(double *t, const double *x, int n, double by) {
  for (int i = 0; i < n; i++) t[i] = x[i] * by + i;
}

static double loops(const double *x, int n) {
  double s = 1;
  for (int i = 1; i <= n; i++) {
    double row[i];
    for (int k = 0; k < i; k++) row[k] = x[k] * s;
    double *more = alloca(i * sizeof(double));
    for (int k = 0; k < i; k++) more[k] = row[i - 1 - k] * row[k];
    s += reverse_dot(more, i) * 0.01;
    if (i & 1) {
      double table[2][i];
      fill(table[0], x, i, s);
      fill(table[1], row, i, 2);
      s += table[0][0] * table[1][i - 1] * 0.01;
    }
  }
  return s;
}

static NOINLINE double fold(const double *x, int n) {
  if (n == 0) return 1;
  double t[n];
  for (int i = 0; i < n; i++) t[i] = x[i] * x[i];
  double below = fold(t, n - 1);
  return below * t[n - 1] + t[0];
}

static double loops_objective(const double *x) { return loops(x, 5); }
static void loops_gradient(const double *x, double *g) { __enzyme_autodiff((void *)loops, x, g, 5); }
static double loops_tangent(const double *x, const double *v) {
  return __enzyme_fwddiff((void *)loops, enzyme_dup, x, v, 5);
}
static double fold_objective(const double *x) { return fold(x, 4); }
static void fold_gradient(const double *x, double *g) { __enzyme_autodiff((void *)fold, x, g, 4); }
static double fold_tangent(const double *x, const double *v) {
  return __enzyme_fwddiff((void *)fold, enzyme_dup, x, v, 4);
}

int main(void) {
  double x[5] = {0.6, -0.45, 0.8, 0.9, 0.3};
  CHECK(loops_objective, loops_gradient, loops_tangent, x);
  CHECK_N(fold_objective, fold_gradient, fold_tangent, x, 4);
  return check_done();
}
