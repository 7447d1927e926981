/* std::function in a table: one with state too large to be kept in place, one number, and shared memory. */
#include <functional>
#include <memory>
#include <vector>

#include "cpp_check.h"

using Scalar = std::function<double(double)>;

static double tabled(const double *x) {
  double big[6] = {x[0], x[1], x[2], 1, 2, 3};
  struct Six { double v[6]; } six;
  for (int i = 0; i < 6; i++) six.v[i] = big[i];
  std::vector<Scalar> table;
  table.push_back([six](double v) { double s = 0; for (double each : six.v) s += each * v; return s; });
  table.push_back([b = x[1]](double v) { return v * b; });
  table.push_back([p = std::make_shared<double>(x[2])](double v) { return v * v * *p; });
  double y = 0.5;
  for (auto &f : table) y = f(y);
  return y;
}
ADAPTERS(tabled)

int main(void) {
  const double x[] = {0.7, -1.1, 1.9};
  CHECK_BOTH(tabled, x);
  return check_done();
}
