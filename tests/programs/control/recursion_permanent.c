/* Expansion along rows with a mask of columns taken: a loop around a recursive call, results multiplied on return. */
#include "check.h"

static NOINLINE double permanent(const double *a, int n, int row, unsigned used, double *scratch) {
  if (row == n) return 1;
  double s = 0;
  for (int j = 0; j < n; j++) {
    if (used & (1u << j)) continue;
    double below = permanent(a, n, row + 1, used | (1u << j), scratch);
    scratch[row] = scratch[row] * 0.5 + below * a[row * n + j];
    s += a[row * n + j] * below;
  }
  return s;
}
static double f(const double *x) {
  double scratch[4] = {0}, s = permanent(x, 4, 0, 0, scratch);
  for (int i = 0; i < 4; i++) s += scratch[i] * scratch[i];
  return s;
}
DERIVED(f)

int main(void) {
  double x[16];
  for (int i = 0; i < 16; i++) x[i] = sin(1.7 * i + 0.4);
  CHECK_DERIVED(f, x);
  return check_done();
}
