/* Values in tuples, pairs and optionals, returned, unpacked, compared. */
#include <optional>
#include <tuple>
#include <utility>

#include "cpp_check.h"

static std::pair<double, double> rotated(double a, double b) { return {a * 0.6 - b * 0.8, a * 0.8 + b * 0.6}; }

static std::optional<double> rooted(double v) {
  if (v < 0) return std::nullopt;
  return std::sqrt(v);
}

static double unpacked(const double *x) {
  auto [a, b] = rotated(x[0], x[1]);
  std::tuple<double, int, double> t{a * b, 3, x[2]};
  std::get<0>(t) *= std::get<2>(t);
  double p, q;
  std::tie(p, std::ignore, q) = t;
  auto first = rooted(x[2] * x[2] + 1), second = rooted(x[1]);
  return p * q + first.value() + second.value_or(x[0]) * std::get<int>(t);
}
ADAPTERS(unpacked)

int main(void) {
  const double x[] = {0.7, -1.1, 1.9};
  CHECK_BOTH(unpacked, x);
  return check_done();
}
