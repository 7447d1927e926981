/* Unknown counts inside of unknown counts, some of them long: what is kept has to grow in the middle of a run. */
#include "check.h"

static double decay(const double *x, int rounds) {
  double total = 0;
  for (int r = 0; r < rounds; r++) {
    double v = 2.2, w = 0.1 * x[0];
    int count = 0;
    while (v > 1e-3 * (r + 1)) {
      double inner = v;
      for (double gate = v; gate > 0.3; gate *= 0.8) inner = inner * 0.8 - 0.02 * sin(x[1] * inner), count++;
      w += inner * v * x[2];
      v *= 0.97;
      w *= 1 - 0.001 * x[r % 3] * x[0];
      if (r % 5 == 3 && count > 100) break;
    }
    total += w * sin(v) + 1e-3 * w * w;
  }
  return total;
}
static double f(const double *x) { return decay(x, 37); }
DERIVED(f)

int main(void) {
  double x[3] = {1.1, 0.7, -0.55};
  CHECK_DERIVED(f, x);
  return check_done();
}
