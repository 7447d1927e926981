/* Trees and hash tables with inactive keys and active values. */
#include <map>
#include <set>
#include <unordered_map>

#include "cpp_check.h"

static double ordered(const double *x) {
  std::map<int, double> values;
  for (int i = 0; i < 8; i++) values[(i * 5) % 4] += x[i % 4] * (i + 1);
  values.erase(2);
  double sum = 0;
  for (const auto &entry : values) sum += entry.first * entry.second * entry.second;
  return sum;
}
ADAPTERS(ordered)

static double hashed(const double *x) {
  std::unordered_map<int, double> values;
  for (int i = 0; i < 6; i++) values[i % 3] += x[i % 4] * x[(i + 1) % 4];
  double product = 1;
  for (int i = 0; i < 3; i++) product *= 1 + values.at(i);
  return product;
}
ADAPTERS(hashed)

static double chosen(const double *x) {
  std::set<int> picked{3, 1};
  double sum = 0;
  for (int i : picked) sum += x[i] * x[i];
  return picked.count(2) ? 0 : sum * x[0];
}
ADAPTERS(chosen)

int main(void) {
  const double x[] = {0.7, -1.1, 1.9, 0.4};
  CHECK_BOTH(ordered, x);
  CHECK_BOTH(hashed, x);
  CHECK_BOTH(chosen, x);
  return check_done();
}
