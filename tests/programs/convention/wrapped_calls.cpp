// Entry points called from wrappers that get the function as a parameter.
#include "check.h"
template <typename R, typename... A> R __enzyme_autodiff(void *, A...);
template <typename R, typename... A> R __enzyme_fwddiff(void *, A...);

static double f(double x) { return x * x; }
static double g(double x) { return x * x * x; }

template <typename F> static double gradient(F *f, double x) { return __enzyme_autodiff<double>((void *)f, x); }
static double slope(double (*f)(double), double x) { return __enzyme_fwddiff<double>((void *)f, x, 1.0); }
static double twice(double (*f)(double), double x) { return slope(f, x) + gradient(f, x); }

static void check_all() {
  check_value("f", gradient(f, 3), 6, 1e-14);
  check_value("g", gradient(g, 3), 27, 1e-14);
  check_value("slope of f", slope(f, 3), 6, 1e-14);
  check_value("slope of g", slope(g, 3), 27, 1e-14);
  check_value("twice", twice(f, 3), 12, 1e-14);
  check_value("twice", twice(g, 1), 6, 1e-14);
}

int main() {
  CHECK_ENGINE(check_all());
  return check_done();
}
