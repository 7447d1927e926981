/* Container adapters: a queue by priority, a stack, a queue. */
#include <queue>
#include <stack>
#include <vector>

#include "cpp_check.h"

static double adapted(const double *x) {
  std::priority_queue<std::pair<double, int>> best;
  for (int i = 0; i < 5; i++) best.push({x[i] * x[i], i});
  double sum = 0;
  for (int rank = 1; !best.empty(); rank++) {
    auto [value, index] = best.top();
    best.pop();
    sum += rank * value * x[index];
  }
  std::stack<double> stack;
  std::queue<double> queue;
  for (int i = 0; i < 5; i++) stack.push(x[i]), queue.push(x[i] * sum);
  while (!stack.empty()) {
    sum += stack.top() * queue.front();
    stack.pop(), queue.pop();
  }
  return sum;
}
ADAPTERS(adapted)

int main(void) {
  const double x[] = {0.7, -1.1, 1.9, 0.4, 1.3};
  CHECK_BOTH(adapted, x);
  return check_done();
}
