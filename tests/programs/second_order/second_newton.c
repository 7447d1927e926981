/* Newton's iteration until it has converged: the root as a function of its parameters. */
#include "second.h"

static double f(const double *p) { /* the root of y^3 + p0 y = p1, times p0 */
  double y = p[1];
  for (int i = 0; i < 50; i++) {
    double r = y * y * y + p[0] * y - p[1];
    if (fabs(r) < 1e-14 && i > 3) break;
    y -= r / (3 * y * y + p[0]);
  }
  return y * p[0];
}
SECOND(f, 2)

int main(void) {
  double x[] = {1.7, 2.3};
  CHECK_ENGINE(SECOND_CHECK(f, x, 2));
  return check_done();
}
