/* Solvers of differential equations that take their right-hand side as a std::function or any callable. */
#include <functional>
#include <vector>

#include "cpp_check.h"

using State = std::vector<double>;
using Side = std::function<void(double, const State &, State &)>;

static State rk4(const Side &f, State y, double t, double h, int steps) {
  size_t n = y.size();
  State k1(n), k2(n), k3(n), k4(n), at(n);
  for (int s = 0; s < steps; s++, t += h) {
    f(t, y, k1);
    for (size_t i = 0; i < n; i++) at[i] = y[i] + 0.5 * h * k1[i];
    f(t + 0.5 * h, at, k2);
    for (size_t i = 0; i < n; i++) at[i] = y[i] + 0.5 * h * k2[i];
    f(t + 0.5 * h, at, k3);
    for (size_t i = 0; i < n; i++) at[i] = y[i] + h * k3[i];
    f(t + h, at, k4);
    for (size_t i = 0; i < n; i++) y[i] += h / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]);
  }
  return y;
}

static double solved(const double *x) {
  double a = x[0], b = x[1];
  Side hunt = [a, b](double t, const State &y, State &dy) {
    dy[0] = a * y[0] - y[0] * y[1];
    dy[1] = y[0] * y[1] - b * y[1] + 0.1 * t;
  };
  State end = rk4(hunt, {x[2], x[3]}, 0, 0.1, 8);
  return end[0] * end[1];
}
ADAPTERS(solved)

int main(void) {
  const double x[] = {0.7, 1.1, 1.9, 0.4};
  CHECK_BOTH(solved, x);
  return check_done();
}
