/* Functions that remember integers from call to call: the reverse sweep must not count again. */
#include "check.h"

static NOINLINE double alternate(double v) {
  static unsigned calls;
  return calls++ % 2 ? 0.3 * v * v : sin(v);
}
static NOINLINE int next(int reset) {
  static int state;
  if (reset) state = 5;
  state = (state * 13 + 7) % 31;
  return state;
}
static double f(const double *x) {
  double s = 0.1;
  next(1);
  for (int i = 0; i < 8; i++) s = s * 0.9 + alternate(x[next(0) % 5] * (1 + s));
  return s;
}
DERIVED(f)

int main(void) {
  double x[5] = {0.6, 0.73, -0.55, 0.76, -0.31};
  CHECK_DERIVED(f, x);
  CHECK_DERIVED(f, x);
  return check_done();
}
