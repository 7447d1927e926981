/* Shared ownership: reference counts are inactive, the objects are not. */
#include <memory>
#include <vector>

#include "cpp_check.h"

struct Tree {
  double value;
  std::shared_ptr<Tree> left, right;
};

static double folded(const std::shared_ptr<Tree> &tree) {
  if (!tree) return 1;
  return tree->value * folded(tree->left) + folded(tree->right);
}

static double shared(const double *x) {
  auto leaf = std::make_shared<Tree>();
  leaf->value = x[0] * x[1];
  auto root = std::make_shared<Tree>();
  root->value = x[2];
  root->left = leaf;
  root->right = leaf;
  std::weak_ptr<Tree> seen = leaf;
  leaf.reset();
  if (auto found = seen.lock()) found->value *= x[3];
  return folded(root) * (double)root->left.use_count();
}
ADAPTERS(shared)

int main(void) {
  const double x[] = {0.7, -1.1, 1.9, 0.4};
  CHECK_BOTH(shared, x);
  return check_done();
}
