/* A cursor that goes forward and back over an array until it is through: eight queens, with active weights. */
#include "check.h"

static double place(const double *x, int n) {
  int column[8] = {0}, row = 0, found = 0;
  double total = 0, trail[9];
  trail[0] = 1;
  while (row >= 0) {
    int ok = 0;
    for (; column[row] < n && !ok; column[row]++) {
      ok = 1;
      for (int r = 0; r < row; r++) {
        int d = column[row] - (column[r] - 1);
        if (d == 0 || d == row - r || d == r - row) {
          ok = 0;
          break;
        }
      }
    }
    if (!ok) {
      column[row--] = 0;
      continue;
    }
    trail[row + 1] = trail[row] * (0.9 + 0.1 * x[(column[row] - 1 + row) % 8]);
    if (row == n - 1) {
      total += trail[n] * x[found % 8];
      if (++found == 6) break;
      continue;
    }
    row++;
  }
  return total;
}
static double f(const double *x) { return place(x, 6) + 0.5 * place(x, 5); }
DERIVED(f)

int main(void) {
  double x[8] = {0.6, 0.7, -0.55, 0.75, -1.9, 0.4, 1.1, -0.2};
  CHECK_DERIVED(f, x);
  return check_done();
}
