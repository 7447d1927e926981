/* std::function that holds others, which hold others. */
// heavy: the library's containers and functions are much code
#include <functional>

#include "cpp_check.h"

using Scalar = std::function<double(double)>;

static Scalar composed(Scalar outer, Scalar inner) {
  return [outer, inner](double v) { return outer(inner(v)); };
}

static double nested(const double *x) {
  double a = x[0];
  Scalar scale = [a](double v) { return a * v; };
  Scalar sine = [](double v) { return std::sin(v); };
  Scalar both = composed(sine, scale), more = composed(both, both);
  return more(x[1]);
}
ADAPTERS(nested)

int main(void) {
  const double x[] = {0.7, -1.1, 1.9};
  CHECK_BOTH(nested, x);
  return check_done();
}
