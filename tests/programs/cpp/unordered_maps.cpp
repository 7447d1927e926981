/* Hash tables with inactive keys and active values; they grow while they hold them. */
// heavy: the library's containers and functions are much code
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "cpp_check.h"

static double hashed(const double *x) {
  std::unordered_map<int, double> values;
  for (int i = 0; i < 40; i++) values[(i * 7) % 23] += x[i % 4] * (i + 1);
  values.erase(5);
  double sum = 0;
  for (int key = 0; key < 23; key++) {
    auto found = values.find(key);
    if (found != values.end()) sum += key * found->second * found->second;
  }
  return 1e-4 * sum;
}
ADAPTERS(hashed)

static double worded(const double *x) {
  std::unordered_map<std::string, double> values{{"a", x[0]}, {"b", x[1]}};
  std::unordered_set<int> seen;
  values["c"] = values["a"] * values["b"];
  seen.insert(2);
  values["a"] += x[2] * seen.count(2);
  return values["a"] * values["c"];
}
ADAPTERS(worded)

static double remembered(std::unordered_map<long, double> &known, const double *x, long i) {
  if (i < 0) return x[0];
  auto found = known.find(i);
  if (found != known.end()) return found->second;
  double value = x[i % 4] * remembered(known, x, i - 1) + remembered(known, x, i - 2);
  return known[i] = value;
}

static double memo(const double *x) {
  std::unordered_map<long, double> known;
  return remembered(known, x, 6);
}
ADAPTERS(memo)

static double weighed(const double *x) {
  std::unordered_map<int, double> by_int;
  std::unordered_map<long, double> by_long;
  for (int i = 0; i < 9; i++) by_int[i % 5 - 2] += x[i % 4];
  for (int i = 0; i < 9; i++) by_long[i % 3] += x[i % 4] * x[i % 3];
  double sum = 0;
  for (auto &[key, value] : by_int) sum += (key + 1) * value * value;
  for (auto &[key, value] : by_long) sum += (double)key * value;
  return sum;
}
ADAPTERS(weighed)

int main(void) {
  const double x[] = {0.7, -1.1, 1.9, 0.4};
  CHECK_BOTH(hashed, x);
  CHECK_BOTH(worded, x);
  CHECK_BOTH(memo, x);
  CHECK_BOTH(weighed, x);
  return check_done();
}
