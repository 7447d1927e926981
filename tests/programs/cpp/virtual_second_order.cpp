// Second derivatives through virtual methods and pointers to functions, and a global that is active in both.
#include "check.h"

struct Term {
  virtual double value(double x) const = 0;
  virtual ~Term() {}
};
struct Power : Term {
  double c;
  explicit Power(double c) : c(c) {}
  double value(double x) const override { return c * x * x * x; }
};
struct Wave : Term {
  double value(double x) const override { return sin(x); }
};
static NOINLINE double cube(double x) { return x * x * x; }
double (*outer)(double) = cube;
static double last;

static NOINLINE double sum(double x) {
  Power p(2);
  Wave w;
  const Term *all[2] = {&p, &w};
  double s = 0;
  for (int i = 0; i < 2; i++) {
    last = all[i]->value(x);
    s += outer(last) + last;
  }
  return s;
}
#ifndef REFERENCE
static NOINLINE double slope(double x) { return __enzyme_autodiff((void *)sum, enzyme_out, x); }
static NOINLINE double slope_forward(double x) { return __enzyme_fwddiff((void *)sum, enzyme_dup, x, 1.0); }
static void reverse(const double *x, double *g) { g[0] += __enzyme_autodiff((void *)slope, enzyme_out, x[0]); }
static double forward(const double *x, const double *v) {
  return __enzyme_fwddiff((void *)slope, enzyme_dup, x[0], v[0]);
}
static void mixed(const double *x, double *g) { g[0] += __enzyme_autodiff((void *)slope_forward, enzyme_out, x[0]); }
static double straight(const double *x, const double *v) {
  return __enzyme_fwddiff((void *)slope_forward, enzyme_dup, x[0], v[0]);
}
static double objective(const double *x) { return slope(x[0]); }
#else
extern void reverse(const double *, double *), mixed(const double *, double *);
extern double forward(const double *, const double *), straight(const double *, const double *);
static double objective(const double *x) {
  double p = 2 * x[0] * x[0] * x[0], w = sin(x[0]);
  return (3 * p * p + 1) * 6 * x[0] * x[0] + (3 * w * w + 1) * cos(x[0]);
}
#endif

int main() {
  double x[1] = {0.7};
  CHECK(objective, reverse, forward, x);
  CHECK(objective, mixed, straight, x);
  return check_done();
}
