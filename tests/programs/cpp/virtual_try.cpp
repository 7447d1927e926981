// Virtual calls and calls through pointers inside try blocks, with objects whose destructors run on both ways.
#include "check.h"

struct Guard {
  int *count;
  explicit Guard(int *c) : count(c) { ++*count; }
  ~Guard() { --*count; }
};
struct Rule {
  virtual double apply(double x) const { return x * x; }
  virtual ~Rule() {}
};
struct Checked : Rule {
  double limit;
  explicit Checked(double l) : limit(l) {}
  double apply(double x) const override { return x * x * limit; }
};
static int alive;
static NOINLINE double halve(double x) { return x / 2; }
double (*last)(double) = halve;
static NOINLINE void inspect(int n) {
  if (n > 2) throw n;
}

static NOINLINE double f(const double *x, int n) {
  Rule plain;
  Checked checked(x[0]);
  const Rule *rules[2] = {&plain, &checked};
  double s = 0;
  for (int i = 0; i < n; i++) {
    Guard g(&alive);
    try {
      Guard inner(&alive);
      inspect(i);
      s += rules[i & 1]->apply(x[i]);
    } catch (int code) {
      s += last(x[i]) * code;
    }
  }
  return s;
}
static double objective(const double *x) { return f(x, 5); }

static void reverse(const double *x, double *g) { __enzyme_autodiff((void *)f, enzyme_dup, x, g, 5); }
static double forward(const double *x, const double *v) { return __enzyme_fwddiff((void *)f, enzyme_dup, x, v, 5); }

int main() {
  double x[5] = {0.3, -0.7, 1.2, 0.4, 0.9};
  CHECK(objective, reverse, forward, x);
  check_value("destroyed", alive, 0, 1e-12);
  return check_done();
}
