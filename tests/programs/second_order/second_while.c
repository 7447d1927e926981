/* A while loop whose trip count depends on the data: tapes that grow. */
#include "second.h"

static double f(const double *x) {
  double a = x[0], s = 0;
  while (a < 50) {
    s += sin(a) * x[1];
    a = a * 1.3 + x[2] * x[2];
  }
  return s * a;
}
SECOND(f, 3)

int main(void) {
  double x[] = {0.9, 1.3, 0.4};
  CHECK_ENGINE(SECOND_CHECK(f, x, 3));
  return check_done();
}
