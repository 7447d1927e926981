/* Jumps out of three loops at once and into the middle of the next round of an outer one. */
#include "check.h"

static double search(const double *x, int n, double limit) {
  double s = 0;
  for (int i = 0; i < n; i++) {
    double row = 1;
    for (int j = 0; j <= i; j++) {
      for (int k = j; k < n; k++) {
        row += 0.2 * x[i] * x[j] * x[k];
        if (row > limit) goto next_row;
        if (row < -limit) goto out;
        s += 0.1 * row * x[k];
      }
      row *= 0.9 + 0.1 * x[j];
    }
    s += row;
    continue;
  next_row:
    s = 0.5 * s + sin(row);
  }
  return s;
out:
  return s * s + x[1];
}
static double f(const double *x) { return search(x, 5, 1.6); }
static double g(const double *x) { return search(x, 5, 0.8); }
DERIVED(f)
DERIVED(g)

int main(void) {
  double x[5] = {0.9, -0.6, 1.3, 0.7, 1.1}, y[5] = {0.9, -1.6, -1.3, -1.7, -1.1};
  CHECK_DERIVED(f, x);
  CHECK_DERIVED(g, x);
  CHECK_DERIVED(f, y);
  CHECK_DERIVED(g, y);
  return check_done();
}
