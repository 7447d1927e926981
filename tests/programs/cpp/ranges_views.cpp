// flags: -std=c++20
/* Ranges of C++20: views that filter and transform, algorithms with projections, spans. */
#include <algorithm>
#include <numeric>
#include <ranges>
#include <span>
#include <vector>

#include "cpp_check.h"

static double norm(std::span<const double> v) {
  double sum = 0;
  for (double each : v) sum += each * each;
  return std::sqrt(sum);
}

static double viewed(const double *x) {
  std::vector<double> all(x, x + 5);
  auto squares = all | std::views::filter([](double v) { return v > 0; }) | std::views::transform([](double v) { return v * v; });
  double sum = 0;
  for (double v : squares) sum += v * (sum + 1);
  for (int i : std::views::iota(0, 3)) sum += all[i] * i;
  for (double v : all | std::views::reverse | std::views::take(2)) sum *= v + 1;
  std::ranges::sort(all);
  std::ranges::for_each(all, [&, k = 1](double v) mutable { sum += v * k++; });
  return sum * norm(all) + norm(std::span(all).subspan(1, 3));
}
ADAPTERS(viewed)

int main(void) {
  const double x[] = {0.7, -1.1, 1.9, 0.4, 1.3};
  CHECK_BOTH(viewed, x);
  return check_done();
}
