/* Objects made by the first call, before the derivative, and used through virtual calls: nothing active gets into them,
 * but for what functions of other programs might do. */
#include <cmath>
#include <memory>
#include <vector>

#include "cpp_check.h"

struct Activation {
  virtual double at(double v) const = 0;
  virtual ~Activation() = default;
};
struct Tanh : Activation {
  double at(double v) const override { return std::tanh(v); }
};
struct Scaled : Activation {
  double k;
  explicit Scaled(double k) : k(k) {}
  double at(double v) const override { return k * v * v; }
};

static const std::vector<std::unique_ptr<Activation>> &activations() {
  static const auto all = [] {
    std::vector<std::unique_ptr<Activation>> made;
    made.push_back(std::make_unique<Tanh>());
    made.push_back(std::make_unique<Scaled>(1.7));
    return made;
  }();
  return all;
}

static double layered(const double *x) {
  double sum = 0;
  for (auto &each : activations()) sum += each->at(x[0]) * each->at(x[1]);
  return sum;
}
ADAPTERS(layered)

int main(void) {
  const double x[] = {0.7, 1.2};
  CHECK_BOTH(layered, x);
  return check_done();
}
