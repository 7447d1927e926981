/* Three levels of calls in loops, each overwriting what the one above still needs: everything has to be kept. */
#include "check.h"

static NOINLINE double inner(double *a, int n, double s) {
  for (int i = 0; i < n; i++) {
    a[i] = a[i] * a[i] * 0.5 + s;
    s = sin(s * a[i]);
    if (s > 0.5) return s * a[i];
  }
  return s;
}
static NOINLINE double middle(double *a, double *b, int n, int k) {
  double s = a[k % n];
  while (k-- > 0) {
    double old = b[k % n];
    b[k % n] = inner(a, n - k % 2, s * old);
    s = 0.7 * s + b[k % n] * old;
    if (s < -1) break;
  }
  return s;
}
static double f(const double *x) {
  double a[5], b[5], s = 0;
  memcpy(a, x, sizeof a);
  memcpy(b, x + 1, sizeof b);
  for (int i = 0; i < 4; i++) {
    s += middle(a, b, 5, i + 2) * x[i];
    if (i == 2) memcpy(a, b, sizeof a);
  }
  for (int i = 0; i < 5; i++) s += a[i] * b[i];
  return s;
}
DERIVED(f)

int main(void) {
  double x[6] = {0.6, 0.7, -0.55, 0.75, -0.8, 0.4};
  CHECK_DERIVED(f, x);
  return check_done();
}
