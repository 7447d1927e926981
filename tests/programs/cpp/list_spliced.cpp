/* Lists of numbers whose nodes change places and lists: their lengths lie where nodes have numbers. */
#include <list>
#include "cpp_check.h"
static double moved(const double *x) {
  std::list<double> a(x, x + 4), b{x[1], 2.0, x[0] * x[3]};
  auto at = std::next(a.begin(), 2);
  a.splice(at, b);
  a.splice(a.begin(), a, std::next(a.begin(), 3), a.end());
  a.remove_if([](double v) { return v < -1; });
  double sum = 0, factor = 1;
  for (double v : a) sum += v * v * (factor += 0.25);
  return sum * a.size();
}
ADAPTERS(moved)
int main(void) { const double x[] = {0.7, -1.1, 1.9, 0.4}; CHECK_BOTH(moved, x); return check_done(); }
