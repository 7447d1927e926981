/* Function-local statics: a cache, a history and a lazily filled table that are active while the function runs. */
#include "check.h"

static NOINLINE double recall(double v, int reset) {
  static double last, history[4];
  static int at;
  if (reset) {
    last = 0.1;
    at = 0;
    memset(history, 0, sizeof history);
    return 0;
  }
  history[at++ % 4] = v * last;
  last = 0.5 * last + v;
  return history[0] * history[3] + history[1] - last * history[2];
}
static NOINLINE double cached(const double *x, int i) {
  static int ready;
  static double table[8];
  if (!ready) {
    for (int k = 0; k < 8; k++) table[k] = 1.0 / (k + 1);
    ready = 1;
  }
  return table[i] * x[i];
}
static double f(const double *x) {
  double s = recall(0, 1);
  for (int i = 0; i < 9; i++) s += recall(x[i % 6] * (1 + 0.1 * s), 0) + cached(x, i % 6);
  return s;
}
DERIVED(f)

int main(void) {
  double x[6] = {0.6, 0.7, -0.55, 0.75, -0.8, 0.4};
  CHECK_DERIVED(f, x);
  CHECK_DERIVED(f, x);
  return check_done();
}
