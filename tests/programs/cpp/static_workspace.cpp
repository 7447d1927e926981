/* Static objects that keep pointers between calls: what a call makes itself has its shadow, and what only holds
 * constants needs none. */
#include "check.h"
#include <vector>

double workspace(const double *x) {
  static std::vector<double> w;
  w = std::vector<double>(x, x + 4);
  for (int i = 0; i < 4; i++) w[i] *= w[(i + 1) % 4];
  double sum = w[0] * w[1] + w[2] * w[3];
  w.clear();
  return sum;
}
DERIVED(workspace)

struct Model {
  std::vector<double> weights;
  double bias;
  static Model &get() {
    static Model model{{1, 2, 3, 4}, 0.5};
    return model;
  }
};

double singleton(const double *x) {
  Model &model = Model::get();
  double sum = model.bias;
  for (int i = 0; i < 4; i++) sum += model.weights[i] * x[i] * x[i];
  return sum * x[0];
}
DERIVED(singleton)

int main() {
  double x[] = {1.3, -0.7, 2.1, 0.4};
  CHECK_DERIVED(workspace, x);
  CHECK_DERIVED(singleton, x);
  return check_done();
}
