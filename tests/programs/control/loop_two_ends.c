/* Two counters that meet where the data says; both are needed backwards. */
#include "check.h"

static double meet(double *a, int n) {
  int i = 0, j = n - 1, turns = 0;
  double s = 0;
  while (i < j) {
    if (a[i] + a[j] > 0.3) {
      s += a[i] * a[j];
      a[j] = a[j] * a[i] + 0.2;
      j--;
    } else {
      s -= a[i] * a[i] * a[j];
      a[i] = a[i] * a[j] - 0.1;
      i++;
    }
    turns++;
  }
  return s * turns + a[i];
}
static double f(const double *x) {
  double a[9];
  memcpy(a, x, sizeof a);
  double s = meet(a, 9);
  for (int i = 0; i < 9; i++) s += sin(a[i]) * (i - 4);
  return s;
}
DERIVED(f)

int main(void) {
  double x[9] = {0.3, -0.7, 0.5, 1.1, -0.2, 0.8, 0.45, -0.9, 0.6};
  CHECK_DERIVED(f, x);
  return check_done();
}
