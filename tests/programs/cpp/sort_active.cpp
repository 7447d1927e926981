/* Active numbers sorted: by value, downwards, through a comparator, as members of structs, by indices, in part. */
// heavy: sorting is much code
#include <algorithm>
#include <numeric>
#include <vector>

#include "cpp_check.h"

static double weighted(const std::vector<double> &a) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); i++) sum += (double)(i + 1) * a[i] * a[i];
  return sum;
}

static double sorted(const double *x) {
  std::vector<double> up(x, x + 6), down = up, largest = up;
  std::sort(up.begin(), up.end());
  std::sort(down.begin(), down.end(), std::greater<double>());
  std::partial_sort(largest.begin(), largest.begin() + 3, largest.end(), [](double a, double b) { return a * a < b * b; });
  return weighted(up) + 0.1 * weighted(down) + 0.01 * (largest[0] + 2 * largest[1] + 3 * largest[2]);
}
ADAPTERS(sorted)

struct Item {
  int id;
  double weight, value;
};

static double ranked(const double *x) {
  std::vector<Item> items;
  for (int i = 0; i < 6; i++) items.push_back({i, x[i], x[i] * x[(i + 1) % 6]});
  std::sort(items.begin(), items.end(), [](const Item &a, const Item &b) { return a.weight < b.weight; });
  std::vector<int> order(6);
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int a, int b) { return items[a].value < items[b].value; });
  double sum = 0;
  for (int i = 0; i < 6; i++) sum += (i + 1) * items[i].value + 0.1 * (i + 1) * items[order[i]].weight * items[i].id;
  return sum;
}
ADAPTERS(ranked)

static double median(const double *x) {
  std::vector<double> a(x, x + 6);
  std::nth_element(a.begin(), a.begin() + 3, a.end());
  double middle = a[3], low = *std::max_element(a.begin(), a.begin() + 3);
  return middle * middle + low * 0.5 + std::clamp(x[0], -1.0, 0.5) * *std::min_element(x, x + 6);
}
ADAPTERS(median)

int main(void) {
  const double x[] = {0.7, -1.1, 1.9, 0.4, -0.3, 2.2};
  CHECK_BOTH(sorted, x);
  CHECK_BOTH(ranked, x);
  CHECK_BOTH(median, x);
  return check_done();
}
