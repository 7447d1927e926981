/* Lanes of arrays on the stack: of variable size, in a loop, and in a function whose frame is gone in the reverse sweep. */
#define WIDTH_B 3
#include "vector.h"

static NOINLINE double folded(const double *x, int n) {
  double a[n + 1], total[2] = {0, 1};
  a[0] = 1;
  for (int i = 0; i < n; i++) a[i + 1] = a[i] * x[i] + 0.2;
  for (int i = 0; i <= n; i++) {
    total[i % 2] += a[i];
    total[(i + 1) % 2] *= 1 + 0.1 * a[n - i];
  }
  return total[0] * total[1];
}
static REAL subject(REAL *x, int n) {
  double s = folded(x, n);
  for (int k = 1; k < 4; k++) {
    double part[2 * k];
    for (int i = 0; i < 2 * k; i++) part[i] = x[i] * x[(i + k) % n];
    x[k] = part[2 * k - 1] + 0.1 * s;
    s += folded(part, 2 * k) * 0.1;
  }
  return s;
}
