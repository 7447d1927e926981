/* Trees of shared and unique pointers, built, changed and walked recursively. */
#include <memory>
#include <vector>

#include "cpp_check.h"

struct Node {
  double value;
  std::unique_ptr<Node> left, right;
  explicit Node(double v) : value(v) {}
};

static void put(std::unique_ptr<Node> &at, double v) {
  if (!at) at = std::make_unique<Node>(v);
  else if (v < at->value) put(at->left, v);
  else put(at->right, v);
}
static double folded(const std::unique_ptr<Node> &at, double depth) {
  if (!at) return 0;
  return at->value * at->value * depth + folded(at->left, depth + 1) + 0.5 * folded(at->right, depth + 1);
}
static double owned(const double *x) {
  std::unique_ptr<Node> root;
  for (int i = 0; i < 4; i++) put(root, x[i] + 0.5 * x[(i + 1) % 4]);
  return folded(root, 1) * root->value;
}
ADAPTERS(owned)

struct Term {
  double factor;
  std::vector<std::shared_ptr<Term>> parts;
};
static double value(const std::shared_ptr<Term> &t) {
  double sum = t->factor;
  for (const auto &part : t->parts) sum += value(part) * t->factor;
  return sum;
}
static double shared(const double *x) {
  auto leaf = std::make_shared<Term>(Term{x[0], {}}), other = std::make_shared<Term>(Term{x[1], {}});
  auto middle = std::make_shared<Term>(Term{x[2], {leaf, other}});
  auto top = std::make_shared<Term>(Term{x[3], {leaf, middle}});
  leaf->factor *= x[1];
  return value(top) + value(middle);
}
ADAPTERS(shared)

int main(void) {
  const double x[] = {0.7, -1.1, 1.9, 0.4};
  CHECK_BOTH(owned, x);
  CHECK_BOTH(shared, x);
  return check_done();
}
