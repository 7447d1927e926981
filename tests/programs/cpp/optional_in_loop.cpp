// What a loop takes from a function that returns std::optional: integers that hold the number, in a struct that inlining
// leaves as a value, and the last round's bytes under the empty one's.
#include "check.h"
#include <optional>

namespace {
struct Reader {
  const double *at;
  int left;
  std::optional<double> next() {
    if (left-- == 0) return std::nullopt;
    return *at++ * 2;
  }
};
}

double weighted(const double *x) {
  Reader reader{x, 4};
  double sum = 0;
  int k = 1;
  while (auto value = reader.next()) sum += *value * *value / k++;
  return sum;
}
DERIVED(weighted)

int main() {
  double x[] = {0.3, 0.5, -0.2, 0.7};
  CHECK_DERIVED(weighted, x);
  return check_done();
}
