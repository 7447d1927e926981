/* Ownership by unique_ptr: a list, an array, a change of owner. */
#include <memory>

#include "cpp_check.h"

struct Node {
  double value;
  std::unique_ptr<Node> next;
};

static double listed(const double *x) {
  std::unique_ptr<Node> head;
  for (int i = 0; i < 4; i++) {
    auto node = std::make_unique<Node>();
    node->value = x[i] * x[(i + 1) % 4];
    node->next = std::move(head);
    head = std::move(node);
  }
  double sum = 0;
  for (Node *at = head.get(); at; at = at->next.get()) sum = sum * at->value + at->value;
  return sum;
}
ADAPTERS(listed)

static double owned(const double *x) {
  std::unique_ptr<double[]> a(new double[4]);
  for (int i = 0; i < 4; i++) a[i] = x[i] * (i + 1);
  std::unique_ptr<double[]> b = std::move(a);
  b[1] *= b[2];
  return b[0] * b[1] + b[3];
}
ADAPTERS(owned)

int main(void) {
  const double x[] = {0.7, -1.1, 1.9, 0.4};
  CHECK_BOTH(listed, x);
  CHECK_BOTH(owned, x);
  return check_done();
}
