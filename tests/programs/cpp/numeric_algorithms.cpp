/* Reductions and transformations of the standard library over arrays of active numbers. */
#include <algorithm>
#include <functional>
#include <numeric>
#include <vector>

#include "cpp_check.h"

static double reduced(const double *x) {
  std::vector<double> a(x, x + 4), b(4), c;
  std::transform(a.begin(), a.end(), b.begin(), [](double v) { return v * v + 1; });
  std::transform(a.begin(), a.end(), b.begin(), std::back_inserter(c), std::multiplies<double>());
  double dot = std::inner_product(a.begin(), a.end(), c.begin(), x[1]);
  double product = std::accumulate(b.begin(), b.end(), 1.0, std::multiplies<double>());
  double least = std::inner_product(a.begin(), a.end(), b.begin(), 100.0, [](double p, double q) { return std::min(p, q); },
                                    [](double p, double q) { return p + q * q; });
  return dot * product + least;
}
ADAPTERS(reduced)

static double running(const double *x) {
  std::vector<double> a(x, x + 4), sums(4), steps(4), scan(4);
  std::partial_sum(a.begin(), a.end(), sums.begin());
  std::adjacent_difference(a.begin(), a.end(), steps.begin());
  std::exclusive_scan(sums.begin(), sums.end(), scan.begin(), 1.0);
  std::iota(a.begin() + 2, a.end(), x[0]);
  std::reverse(steps.begin(), steps.end());
  std::rotate(sums.begin(), sums.begin() + 1, sums.end());
  double total = std::reduce(a.begin(), a.end());
  total += std::transform_reduce(sums.begin(), sums.end(), steps.begin(), 0.0);
  std::for_each(scan.begin(), scan.end(), [&](double v) { total += v * v; });
  return total;
}
ADAPTERS(running)

int main(void) {
  const double x[] = {0.7, -1.1, 1.9, 0.4};
  CHECK_BOTH(reduced, x);
  CHECK_BOTH(running, x);
  return check_done();
}
