/* <algorithm> and <numeric> over vectors and plain arrays, with lambdas. */
#include <algorithm>
#include <numeric>
#include <vector>

#include "cpp_check.h"

static double numeric(const double *x) {
  std::vector<double> a(x, x + 4), b(4), c(4);
  std::transform(a.begin(), a.end(), b.begin(), [](double v) { return v * v + 1; });
  std::partial_sum(b.begin(), b.end(), c.begin());
  double inner = std::inner_product(a.begin(), a.end(), c.begin(), 0.0);
  double product = std::accumulate(b.begin(), b.end(), 1.0, [](double p, double v) { return p * v; });
  std::adjacent_difference(c.begin(), c.end(), b.begin());
  return inner * product + b[2];
}
ADAPTERS(numeric)

static double ordered(const double *x) {
  double a[4];
  std::copy(x, x + 4, a);
  std::sort(a, a + 4);
  std::reverse(a, a + 2);
  double largest = *std::max_element(x, x + 4);
  double sum = 0;
  std::for_each(a, a + 4, [&sum, largest](double v) { sum = sum * v + largest; });
  std::fill(a, a + 2, sum);
  std::rotate(a, a + 1, a + 4);
  return a[0] * a[3] + std::min(a[1], a[2]);
}
ADAPTERS(ordered)

static double counted(const double *x) {
  std::vector<int> index(4);
  std::iota(index.begin(), index.end(), 0);
  std::sort(index.begin(), index.end(), [x](int i, int j) { return x[i] < x[j]; });
  double sum = 0, weight = 1;
  for (int i : index) sum += (weight *= 2) * x[i] * x[i];
  return sum + std::count_if(x, x + 4, [](double v) { return v > 0; });
}
ADAPTERS(counted)

int main(void) {
  const double x[] = {0.7, -1.1, 1.9, 0.4};
  CHECK_BOTH(numeric, x);
  CHECK_BOTH(ordered, x);
  CHECK_BOTH(counted, x);
  return check_done();
}
