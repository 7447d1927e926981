/* Trees with inactive keys and active values. */
#include <map>
#include <set>

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
  CHECK_BOTH(chosen, x);
  return check_done();
}
