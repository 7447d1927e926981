/* A function that nobody has the body of, given active memory: refused by its name. */
// refused: somewhere_else
#include "check.h"

extern void somewhere_else(double *a, int n);
static double f(const double *x) {
  double a[3] = {x[0], x[1], x[2]};
  somewhere_else(a, 3);
  return a[0] * a[1] + a[2];
}
DERIVED(f)

int main(void) {
  double x[3] = {0.6, 0.7, -0.55};
  CHECK_DERIVED(f, x);
  return check_done();
}
