/* Loops without a condition, left by returns and breaks from inside of branches and inner loops. */
#include "check.h"

static double iterate(const double *x, int n) {
  double s = x[0];
  int i = 0;
  for (;;) {
    double old = s;
    s = 0.5 * (s + (x[1] * x[1] + 1) / s);
    if (fabs(s - old) < 1e-13) return s * x[2];
    while (1) {
      i++;
      if (i > 40) return -s;
      if (i % 3 == 0) break;
      s += 1e-3 * x[i % n];
      if (s > 50) {
        do {
          s = sqrt(s);
          if (s < 2) return s + i;
        } while (1);
      }
    }
  }
}
static double f(const double *x) { return iterate(x, 4); }
DERIVED(f)

int main(void) {
  double x[4] = {1.5, 0.7, 2.0, 0.4}, y[4] = {1.5, 0.7, 3000.0, 0.4}, z[4] = {200, 0.7, 2.0, 0.4};
  CHECK_DERIVED(f, x);
  z[1] = 1.1;
  CHECK_DERIVED(f, z);
  y[2] = 3.0;
  y[0] = 0.04;
  CHECK_DERIVED(f, y);
  return check_done();
}
