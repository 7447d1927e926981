/* Functions and variables with several names: what is called is found, and two names of one variable are one memory. */
#include "check.h"

NOINLINE double accumulate(double *p, double v) {
  *p += v * v;
  return *p * v;
}
extern double second(double *p, double v) __attribute__((alias("accumulate")));
extern double third(double *p, double v) __attribute__((alias("second")));
static double (*const table[])(double *, double) = {accumulate, second, third};
double state[4];
extern double view[4] __attribute__((alias("state")));

static double f(const double *x) {
  double a = 1, s = second(&a, x[0]) + third(&a, x[1]);
  for (int i = 0; i < 3; i++) s += table[i](&a, x[i]);
  state[1] = x[0] * x[1];
  s += view[1] * x[2];
  view[2] = s;
  return state[2] * s + (view == state) * x[1];
}

static void f_gradient(const double *x, double *g) { __enzyme_autodiff((void *)f, enzyme_dup, x, g); }
static double f_tangent(const double *x, const double *v) {
  return __enzyme_fwddiff((void *)f, enzyme_dup, x, v);
}

int main(void) {
  double x[3] = {0.5, 0.3, 0.8};
  CHECK_DERIVED(f, x);
  return check_done();
}
