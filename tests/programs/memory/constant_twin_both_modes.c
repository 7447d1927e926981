/* A constant table that shares a pointer with active memory: reverse mode must not leave anything in what forward mode
 * takes for the table's tangent. */
#include "check.h"

static const double table[3] = {1, 2, 3};

static NOINLINE double dot(const double *a, const double *b) {
  double s = 0;
  for (int i = 0; i < 3; i++) s += a[i] * b[i];
  return s;
}

static double f(const double *x, int k) {
  double c[3];
  for (int i = 0; i < 3; i++) c[i] = x[i] * x[i];
  return dot(x, k ? table : c) + dot(k ? c : table, x);
}

static double objective(const double *x) { return f(x, 1) + f(x, 0); }
static void reverse(const double *x, double *g) { __enzyme_autodiff((void *)objective, x, g); }
static double forward(const double *x, const double *v) { return __enzyme_fwddiff((void *)objective, x, v); }

int main(void) {
  double x[3] = {1, -2, 0.5};
  CHECK(objective, reverse, forward, x);
  CHECK(objective, reverse, forward, x);
  return check_done();
}
