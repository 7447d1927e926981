/* std::function, shared and unique pointers and a tree of text in one function. */
// heavy: the library's containers and functions are much code
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "cpp_check.h"

static double mixed(const double *x) {
  double k = x[0] * 2;
  std::function<double(double)> g = [&k](double y) { return y * k; };
  auto p = std::make_shared<double>(g(x[1]));
  std::shared_ptr<double> q = p;
  std::unique_ptr<double[]> u(new double[3]);
  u[1] = *q;
  std::map<std::string, double> m;
  m["a"] = u[1];
  m["b"] = x[2];
  return m["a"] * m["a"] + m["b"] * 3;
}
ADAPTERS(mixed)

int main(void) {
  const double x[] = {0.7, -1.1, 1.9};
  CHECK_BOTH(mixed, x);
  return check_done();
}
