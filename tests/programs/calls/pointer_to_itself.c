/* A function pointer that is also an argument of the call through it. */
#include "check.h"
typedef double (*self_fn)(double, void *);
static double twice(double x, void *self) { return x * x * (self == (void *)twice ? 2 : 1); }
static NOINLINE double call_self(self_fn g, double x) { return g(x, (void *)g); }
static double objective(const double *x) { return call_self(twice, x[0]) * x[1]; }
static void reverse(const double *x, double *g) { __enzyme_autodiff((void *)objective, enzyme_dup, x, g); }
static double forward(const double *x, const double *v) { return __enzyme_fwddiff((void *)objective, enzyme_dup, x, v); }

int main(void) {
  double x[2] = {1.5, 0.7};
  CHECK(objective, reverse, forward, x);
  return check_done();
}
