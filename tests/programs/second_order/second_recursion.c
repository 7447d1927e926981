/* A recursive function. */
#include "second.h"

static double tree(const double *x, int depth, double a) {
  if (depth == 0) return sin(a * x[0]);
  return tree(x, depth - 1, a * x[1]) * tree(x, depth - 1, a + x[2]) + a;
}
static double f(const double *x) { return tree(x, 3, x[0] * x[2]); }
SECOND(f, 3)

int main(void) {
  double x[] = {0.9, 1.3, 0.4};
  CHECK_ENGINE(SECOND_CHECK(f, x, 3));
  return check_done();
}
