/* The function that asks for the derivative has the type that the differentiated one calls through a pointer. */
#include "check.h"

typedef double (*objective_like)(const double *);

static NOINLINE double dot(const double *x) { return x[0] * x[1] + x[2]; }
static NOINLINE double norm(const double *x) { return sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]); }
objective_like chosen[2] = {dot, norm};

static NOINLINE double composed(const double *x) {
  double y[3] = {x[2], x[0] * x[1], x[1]};
  return chosen[0](x) * chosen[1](y);
}
static double steered(const double *x) { return composed(x); }

static void reverse(const double *x, double *g) { __enzyme_autodiff((void *)composed, enzyme_dup, x, g); }
static double forward(const double *x, const double *v) {
  return __enzyme_fwddiff((void *)composed, enzyme_dup, x, v);
}
#ifndef REFERENCE
static double slope(const double *x) {
  double v[3] = {1, 0, 0};
  return __enzyme_fwddiff((void *)composed, enzyme_dup, x, v);
}
objective_like also[1] = {slope};
#endif

int main(void) {
  double x[3] = {0.3, -0.7, 1.2};
  CHECK(steered, reverse, forward, x);
#ifndef REFERENCE
  double g[3] = {0};
  reverse(x, g);
  check_value("slope", also[0](x), g[0], 1e-12);
#endif
  return check_done();
}
