/* Constructors and destructors that work on active data; early returns unwind them. */
#include "cpp_check.h"

struct Accumulate {
  double &target, amount;
  Accumulate(double &t, double a) : target(t), amount(a) { target += a; }
  ~Accumulate() { target *= amount; }
};

static double scoped(const double *x) {
  double total = x[2];
  {
    Accumulate outer(total, x[0]);
    for (int i = 0; i < 2; i++) {
      Accumulate inner(total, x[i] * x[1]);
      if (i == 1) break;
    }
  }
  return total * total;
}
ADAPTERS(scoped)

static double left_early(const double *x) {
  double total = 1;
  for (int i = 0; i < 3; i++) {
    Accumulate each(total, x[i]);
    if (x[i] > 1.5) return total * x[0];
  }
  return total;
}
ADAPTERS(left_early)

int main(void) {
  const double x[] = {0.7, -1.1, 1.9};
  CHECK_BOTH(scoped, x);
  CHECK_BOTH(left_early, x);
  return check_done();
}
