/* A deep recursion whose loops run their iterations again: what one iteration needs is no part of each frame. */
#include "check.h"

__attribute__((annotate("enzyme_loops=recompute"))) NOINLINE static double deep(const double *x, int n, int m, int depth) {
  double r = 0;
  for (int i = 0; i < n; i++) {
    double t = 0;
    for (int j = 0; j < m; j++) t = sin(t + x[i] * (j + 1)) * x[j];
    r += t;
  }
  return depth ? 0.999 * deep(x, n, m, depth - 1) + r * 0.001 : r;
}
static volatile int six = 6;
static double f(const double *x) { return deep(x, six, six, 3000); }
static double tangent(const double *x, const double *v) { return __enzyme_fwddiff((void *)f, enzyme_dup, x, v); }
static void gradient(const double *x, double *g) { __enzyme_autodiff((void *)f, x, g); }
int main(void) {
  double x[6];
  for (int i = 0; i < 6; i++) x[i] = 0.1 * i + 0.3;
  CHECK(f, gradient, tangent, x);
  return check_done();
}
