/* std::vector that grows while it is filled: the elements move to new blocks, the old ones are freed. */
#include <vector>

#include "cpp_check.h"

static double grown(const double *x) {
  std::vector<double> values;
  for (int i = 0; i < 6; i++) {
    values.push_back(x[i % 4] * (i + 1));
    values.push_back(x[(i + 1) % 4] * x[i % 4]);
  }
  double sum = 0;
  for (double value : values) sum += value * value;
  return sum;
}
ADAPTERS(grown)

static double resized(const double *x) {
  std::vector<double> values(4, x[0]);
  values.resize(9, x[1]);
  values[2] *= x[2];
  values.insert(values.begin() + 3, x[3] * x[3]);
  values.erase(values.begin());
  values.pop_back();
  double sum = 1;
  for (std::size_t i = 0; i < values.size(); i++) sum += values[i] * (1.0 + i) + values.front() * values.back();
  return sum;
}
ADAPTERS(resized)

int main(void) {
  const double x[] = {0.7, -1.1, 1.9, 0.4};
  CHECK_BOTH(grown, x);
  CHECK_BOTH(resized, x);
  return check_done();
}
