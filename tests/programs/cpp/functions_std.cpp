/* std::function, lambdas that capture by value and by reference, functors, member pointers. */
#include <functional>
#include <vector>

#include "cpp_check.h"

static double applied(const double *x) {
  double scale = x[1];
  std::function<double(double)> f = [scale](double v) { return v * v * scale; };
  std::function<double(double)> g = [&f](double v) { return f(v) + v; };
  std::vector<std::function<double(double)>> all{f, g, [](double v) { return std::sin(v); }};
  double value = x[0];
  for (auto &each : all) value = each(value) + x[2];
  return value;
}
ADAPTERS(applied)

template <class F> static double twice(F f, double v) { return f(f(v)); }

static double captured(const double *x) {
  double sum = 0;
  auto add = [&](double v) { sum += v * x[2]; return v + x[1]; };
  double value = twice(add, x[0]);
  auto multiply = [value](double v) mutable { value *= v; return value; };
  return multiply(x[1]) + multiply(x[2]) + sum;
}
ADAPTERS(captured)

int main(void) {
  const double x[] = {0.7, -1.1, 1.9};
  CHECK_BOTH(applied, x);
  CHECK_BOTH(captured, x);
  return check_done();
}
