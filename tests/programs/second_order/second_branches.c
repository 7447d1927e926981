/* Branches, a switch and early exits inside of loops. */
#include "second.h"

static double f(const double *x) {
  double s = 0, a = x[0];
  for (int i = 0; i < 30; i++) {
    switch (i % 4) {
    case 0: a = a * 1.1 + x[1]; break;
    case 1:
      if (a > 3) continue;
      a += x[2] * x[2];
      break;
    case 2: s += a * x[1] * x[0]; break;
    default:
      for (int j = 0; j < i; j++) {
        if (s > 40) goto out;
        s += 0.1 * a * sin(x[2] * j);
      }
    }
  }
out:
  return s * a;
}
SECOND(f, 3)

int main(void) {
  double x[] = {0.9, 0.4, 0.7};
  CHECK_ENGINE(SECOND_CHECK(f, x, 3));
  return check_done();
}
