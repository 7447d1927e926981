/* Engines and distributions of <random>: what they draw is inactive, what is made of it is not. */
#include <random>
#include <vector>

#include "cpp_check.h"

static double sampled(const double *x) {
  std::mt19937 engine(42);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::normal_distribution<double> normal(0, 1);
  std::minstd_rand other(7);
  double sum = 0;
  for (int i = 0; i < 20; i++) {
    double u = uniform(engine), n = normal(other);
    sum += (x[0] * u + x[1] * n) * (x[2] + u * n);
  }
  std::uniform_int_distribution<int> pick(0, 2);
  return sum * x[pick(engine)];
}
ADAPTERS(sampled)

int main(void) {
  const double x[] = {0.7, -1.1, 1.9};
  CHECK_BOTH(sampled, x);
  return check_done();
}
