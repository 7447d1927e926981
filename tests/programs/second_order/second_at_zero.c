/* A zero has a derivative: residuals that are zero, of functions whose partials may be infinite elsewhere. */
#include "second.h"

static double square(double r) { return r * r; }
static double f(const double *x) {
  double s = square(sqrt(x[0]) - 2) + square(8 / x[1] - 2) + square(log(x[2])) + pow(x[3], x[4] - 1);
  return s + (x[5] > 0 ? log(x[5]) * x[3] : square(atan2(x[0] - 4, x[1])));
}
SECOND(f, 6)

int main(void) {
  double x[] = {4, 4, 1, 3, 1, -1};
  CHECK_ENGINE(SECOND_CHECK(f, x, 6));
  return check_done();
}
