/* Vectors grown from nothing, copied, and read through iterators. On the path where the copy would be empty, an optimiser
 * makes the address of an element a small number: no memory, and no reason to refuse. */
#include <algorithm>
#include <numeric>
#include <vector>

#include "cpp_check.h"

static double copied(const double *x) {
  std::vector<double> values;
  for (int i = 0; i < 10; i++) values.push_back(x[0] * i + x[1]);
  std::vector<double> other(values);
  other[2] *= x[2];
  other[9] += x[3] * values[3];
  return std::accumulate(other.begin(), other.end(), 0.0) * *std::max_element(values.begin(), values.end());
}
ADAPTERS(copied)

struct pair {
  double a, b;
};

static double filtered(const double *x) {
  std::vector<pair> pairs;
  for (int i = 0; i < 4; i++)
    if (x[i] > 0) pairs.push_back({x[i], x[i] * x[(i + 1) % 4]});
  std::vector<pair> kept = pairs;
  kept[1].b *= kept[0].a;
  kept.back().a += pairs.front().b;
  double sum = 0;
  for (const pair &each : kept) sum += each.a * each.b;
  return sum;
}
ADAPTERS(filtered)

int main(void) {
  const double x[] = {0.7, -1.1, 1.9, 0.4};
  CHECK_BOTH(copied, x);
  CHECK_BOTH(filtered, x);
  return check_done();
}
