/* Results through pointers, errors as integers: the caller's branches hang on what the callee returned. */
#include "check.h"

enum status { OK, TOO_SMALL, TOO_LARGE };
static NOINLINE enum status step(double v, double *out, int *tries) {
  ++*tries;
  if (v < 0.1) {
    *out = v + 0.7;
    return TOO_SMALL;
  }
  if (v > 2) {
    *out = sqrt(v);
    return TOO_LARGE;
  }
  *out = v * v;
  return OK;
}
static double f(const double *x) {
  double s = 0;
  int tries = 0;
  for (int i = 0; i < 5; i++) {
    double v = x[i], next;
    enum status code;
    while ((code = step(v, &next, &tries)) != OK) {
      s += code == TOO_SMALL ? v * next : v - next;
      v = next * (code == TOO_LARGE ? 0.9 : 1.05);
    }
    s = s * 0.8 + next * tries;
  }
  return s;
}
DERIVED(f)

int main(void) {
  double x[5] = {0.6, -0.65, 17.0, 1.3, -1.2};
  CHECK_DERIVED(f, x);
  return check_done();
}
