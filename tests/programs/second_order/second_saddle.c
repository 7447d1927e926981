/* The saddle-point problem: min over x1, max over x2 of |x1|^2 - |x2|^2 with coupled terms, by gradient steps whose
   inner loop uses derivatives; the outer derivative runs through the steps. */
#include "second.h"

static double payoff(const double *p) { /* p: x1, x2, parameter */
  return p[0] * p[0] - p[1] * p[1] + p[0] * p[1] * p[2] + 0.1 * p[2] * p[2] * p[0];
}
static void payoff_gradient(const double *p, double *g) {
#ifdef REFERENCE
  g[0] = 2 * p[0] + p[1] * p[2] + 0.1 * p[2] * p[2];
  g[1] = -2 * p[1] + p[0] * p[2];
#else
  __enzyme_autodiff((void *)payoff, enzyme_dup, p, g);
#endif
}
static double solve(const double *x) { /* x: start, start, parameter */
  double p[3] = {x[0], x[1], x[2]};
  for (int i = 0; i < 20; i++) {
    double g[3] = {0};
    payoff_gradient(p, g);
    p[0] -= 0.1 * g[0];
    p[1] += 0.1 * g[1];
  }
  return payoff(p) + p[0];
}
static double reverse_guard;
#ifndef REFERENCE
static void reverse(const double *x, double *g) { __enzyme_autodiff((void *)solve, enzyme_dup, x, g); }
static double forward(const double *x, const double *v) { return __enzyme_fwddiff((void *)solve, enzyme_dup, x, v); }
#else
static void reverse(const double *x, double *g) { reverse_guard = 0; }
static double forward(const double *x, const double *v) { return 0; }
#endif

int main(void) {
  double x[3] = {0.4, -0.8, 0.7};
  CHECK(solve, reverse, forward, x);
  return check_done();
}
