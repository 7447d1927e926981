// What a loop takes from a function that returns std::optional: integers that hold the number, in a struct that inlining
// leaves as a value, and the last round's bytes under the empty one's. An owner of memory in an optional that was empty:
// without optimisation its pointer is made of a byte of the empty one's.
#include "check.h"
#include <memory>
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

namespace {
struct Owner {
  std::unique_ptr<double[]> data;
};
}

double filled_later(const double *x) {
  Owner owner{std::make_unique<double[]>(2)};
  owner.data[1] = x[0] * x[1];
  std::optional<Owner> later;
  later.emplace(std::move(owner));
  return x[2] * later->data[1] * x[3];
}
DERIVED(filled_later)

int main() {
  double x[] = {0.3, 0.5, -0.2, 0.7};
  CHECK_DERIVED(weighted, x);
  CHECK_DERIVED(filled_later, x);
  return check_done();
}
