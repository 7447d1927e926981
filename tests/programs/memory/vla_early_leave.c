/* Variable-size stack arrays beside branches and loops that leave early, so that what was saved of the stack meets. */
#include "check.h"

static double leave(const double *x) {
  double s = 0.3;
  for (int i = 1; i < 6; i++) {
    double t[i + 1];
    for (int k = 0; k <= i; k++) t[k] = x[k % 4] * (k + s);
    if (t[i / 2] > 2) {
      s += t[0];
      break;
    }
    double u[i];
    for (int k = 0; k < i; k++) {
      u[k] = t[k] * t[k + 1];
      if (u[k] < -3) goto out;
    }
    s += u[i - 1] * 0.1;
    if (i == 3) continue;
    s *= 1 + 0.1 * t[i];
  }
out:
  return s * s;
}
DERIVED(leave)

int main(void) {
  double x[4] = {0.6, -0.45, 0.8, 0.5};
  CHECK_DERIVED(leave, x);
  return check_done();
}
