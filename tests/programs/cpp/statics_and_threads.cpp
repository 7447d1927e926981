/* Statics with guards, thread locals, random numbers, clocks: none of it depends on the inputs. */
#include <chrono>
#include <cstdlib>
#include <random>
#include <vector>

#include "cpp_check.h"

static double expensive(int n) {
  double sum = 0;
  for (int i = 1; i <= n; i++) sum += 1.0 / i;
  return sum;
}

static const std::vector<double> &weights(void) {
  static const std::vector<double> table{expensive(3), expensive(5), expensive(7)};
  return table;
}

static thread_local int calls;

static double weighted(const double *x) {
  static const double bias = expensive(4);
  calls++;
  double sum = bias;
  for (int i = 0; i < 3; i++) sum += weights()[i] * x[i] * x[i];
  return calls > 0 ? sum * x[0] : 0;
}
ADAPTERS(weighted)

static double sampled(const double *x) {
  std::mt19937 generator(7);
  std::uniform_real_distribution<double> uniform(0.5, 1.5);
  auto begin = std::chrono::steady_clock::now();
  std::srand(3);
  double sum = 0;
  for (int i = 0; i < 5; i++) sum += uniform(generator) * x[i % 3] * (1 + std::rand() % 2);
  auto elapsed = std::chrono::steady_clock::now() - begin;
  return elapsed.count() >= 0 ? sum * sum : 0;
}
ADAPTERS(sampled)

int main(void) {
  const double x[] = {0.7, -1.1, 1.9};
  CHECK_BOTH(weighted, x);
  CHECK_BOTH(sampled, x);
  return check_done();
}
