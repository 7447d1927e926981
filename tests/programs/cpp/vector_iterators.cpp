/* Iterators in all directions, ranges, assignment, swap, and moves of whole vectors. */
#include <utility>
#include <vector>

#include "cpp_check.h"

static double walked(const double *x) {
  std::vector<double> a(x, x + 4), b;
  for (auto it = a.begin(); it != a.end(); ++it) *it *= 1.5;
  for (auto it = a.rbegin(); it != a.rend(); ++it) b.push_back(*it * *it);
  double sum = 0;
  for (auto it = b.cbegin() + 1; it < b.cend(); it += 2) sum += *it * it[-1];
  return sum;
}
ADAPTERS(walked)

static double moved(const double *x) {
  std::vector<double> a(x, x + 4), b(4, x[1]);
  a.swap(b);
  std::vector<double> c = std::move(a);
  a = b;
  c.assign(a.begin() + 1, a.end());
  c.emplace_back(x[0] * x[3]);
  double sum = 1;
  for (double v : c) sum = sum * v + 0.25;
  return sum * a.at(2);
}
ADAPTERS(moved)

int main(void) {
  const double x[] = {0.7, -1.1, 1.9, 0.4};
  CHECK_BOTH(walked, x);
  CHECK_BOTH(moved, x);
  return check_done();
}
