/* Active values sorted in place by recursion on both sides, then weighted by their place. */
#include "check.h"

static NOINLINE void sort(double *a, int low, int high) {
  if (low >= high) return;
  double pivot = a[(low + high) / 2];
  int i = low, j = high;
  while (i <= j) {
    while (a[i] < pivot) i++;
    while (a[j] > pivot) j--;
    if (i <= j) {
      double t = a[i];
      a[i++] = a[j];
      a[j--] = t;
    }
  }
  sort(a, low, j);
  sort(a, i, high);
}

static double f(const double *x) {
  double a[9], s = 0;
  for (int i = 0; i < 9; i++) a[i] = x[i] * x[i] - x[(i + 1) % 9];
  sort(a, 0, 8);
  for (int i = 0; i < 9; i++) s += (i + 1) * a[i] * a[i] * (i ? a[i - 1] : 1);
  return s;
}
DERIVED(f)

int main(void) {
  double x[9] = {0.3, -1.7, 0.5, 1.1, -0.2, 0.8, 1.45, -0.9, 0.65};
  CHECK_DERIVED(f, x);
  return check_done();
}
