// Lambdas, captureless lambdas as pointers, and std::function with state.
#include "check.h"
#include <functional>
#include <vector>

static NOINLINE double repeat(const std::function<double(double)> &f, double x, int n) {
  for (int i = 0; i < n; i++) x = f(x);
  return x;
}
template <class F> static NOINLINE double twice(F f, double x) { return f(f(x)); }
static NOINLINE double pointer(double (*f)(double, double), double a, double b) { return f(a, b) * f(b, a); }
static NOINLINE double halved(double x) { return x / 2 + cos(x); }

static NOINLINE double all(const double *x) {
  double a = x[0], b = x[1], sum = 0;
  auto affine = [a, b](double t) { return a * t + b; };
  auto tally = [&sum, b](double t) {
    sum += t * b;
    return t * t;
  };
  double y = twice(affine, x[2]) + repeat(affine, x[3], 3);
  y += repeat(tally, x[2], 2) + repeat(halved, x[1], 2);
  std::function<double(double)> second = [a, b](double t) { return sin(a * t) * b; };
  y += repeat(second, x[3], 2);
  y += pointer([](double p, double q) { return p * p - q; }, a, b) * pointer([](double p, double q) { return p / q; }, a, b);
  return y + sum;
}
static double objective(const double *x) { return all(x); }

static void reverse(const double *x, double *g) { __enzyme_autodiff((void *)all, enzyme_dup, x, g); }
static double forward(const double *x, const double *v) { return __enzyme_fwddiff((void *)all, enzyme_dup, x, v); }

int main() {
  double x[4] = {0.3, -0.7, 1.2, 0.4};
  CHECK(objective, reverse, forward, x);
  return check_done();
}
