/* A loop with two entries, as generated code and state machines have it. */
#include "check.h"

static double tangle(const double *x, int n, int start) {
  double s = 0.2;
  int i = 0;
  if (start) goto middle;
top:
  s += x[i] * s;
  i++;
middle:
  s = sin(s) + x[i % n];
  if (i < n - 1) goto top;
  return s;
}
static double f(const double *x) { return tangle(x, 6, x[0] > 0.5) * tangle(x, 6, x[1] > 0.5); }
DERIVED(f)

int main(void) {
  double x[6] = {0.6, -0.5, 0.8, 0.7, -0.9, 0.75};
  CHECK_DERIVED(f, x);
  return check_done();
}
