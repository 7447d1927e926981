/* Bubble sort until nothing moves, insertion sort, and a flag that decides about one more round. */
#include "check.h"

static void bubble(double *a, int n) {
  int swapped;
  do {
    swapped = 0;
    for (int i = 1; i < n; i++)
      if (a[i - 1] > a[i]) {
        double t = a[i];
        a[i] = a[i - 1];
        a[i - 1] = t;
        swapped = 1;
      }
  } while (swapped);
}
static void insertion(double *a, int n) {
  for (int i = 1; i < n; i++) {
    double v = a[i];
    int j = i;
    while (j > 0 && a[j - 1] < v) {
      a[j] = a[j - 1];
      j--;
    }
    a[j] = v;
  }
}
static double f(const double *x) {
  double a[8], b[8], s = 0;
  for (int i = 0; i < 8; i++) a[i] = x[i] * x[i] * x[i], b[i] = cos(2 * x[i]) * x[i];
  bubble(a, 8);
  insertion(b, 8);
  for (int i = 0; i < 8; i++) s += a[i] * b[i] * (i + 1);
  return s;
}
DERIVED(f)

int main(void) {
  double x[8] = {0.6, 0.7, -0.55, 0.75, -1.9, 0.4, 1.1, -0.2};
  CHECK_DERIVED(f, x);
  return check_done();
}
