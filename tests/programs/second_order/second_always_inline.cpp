/* Functions that are always inlined, static and called by nobody, are differentiated nonetheless: one that asks for a
 * derivative itself, and one beside functions of headers that go into it. */
// reference: none (the values are derivatives of derivatives)
#include "check.h"
#include <vector>
#define ALWAYS __attribute__((always_inline)) static inline

template <typename T> ALWAYS T energy(const T *x, size_t n) {
  T s = 0;
  for (size_t i = 0; i + 1 < n; i++) s += (x[i + 1] - x[i]) * (x[i + 1] - x[i]) * (x[i + 1] - x[i]);
  return s;
}
template <typename T> ALWAYS void gradient(const T *x, T *dx, size_t n) {
  __enzyme_autodiff<void>((void *)energy<T>, enzyme_dup, x, dx, enzyme_const, n);
}
ALWAYS double squares(const std::vector<double> &x) {
  double s = 0;
  for (double each : x) s += each * each;
  return s;
}

int main() {
  double x[3] = {1, 3, 7}, v[3] = {1, 0, 0}, g[3] = {0}, h[3] = {0};
  __enzyme_fwddiff<void>((void *)gradient<double>, enzyme_dup, x, v, enzyme_dup, g, h, enzyme_const, (size_t)3);
  check_value("gradient", g[0], -12, 1e-14);
  check_value("second derivative 0", h[0], 12, 1e-14);
  check_value("second derivative 1", h[1], -12, 1e-14);
  std::vector<double> y{1, 2}, dy{1, 10};
  check_value("squares", __enzyme_fwddiff<double>((void *)squares, &y, &dy), 42, 1e-14);
  return check_done();
}
