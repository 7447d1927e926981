/* Merge sort: every level of the recursion has a heap block of its own that is freed before it returns. */
#include "check.h"

static NOINLINE void sort(double *a, int n) {
  if (n < 2) return;
  int half = n / 2, i = 0, j = half, k = 0;
  sort(a, half);
  sort(a + half, n - half);
  double *merged = malloc(n * sizeof *merged);
  while (i < half && j < n) merged[k++] = a[i] <= a[j] ? a[i++] : a[j++];
  while (i < half) merged[k++] = a[i++];
  while (j < n) merged[k++] = a[j++];
  memcpy(a, merged, n * sizeof *a);
  free(merged);
}

static double f(const double *x) {
  double a[11], s = 1;
  for (int i = 0; i < 11; i++) a[i] = sin(3 * x[i]) + 0.1 * x[(i + 3) % 11];
  sort(a, 11);
  for (int i = 0; i < 11; i++) s = s * (1 + 0.1 * a[i]) + i * a[i];
  return s;
}
DERIVED(f)

int main(void) {
  double x[11] = {0.3, -1.7, 0.5, 1.1, -0.2, 0.8, 1.45, -0.9, 0.65, 0.05, -0.45};
  CHECK_DERIVED(f, x);
  return check_done();
}
