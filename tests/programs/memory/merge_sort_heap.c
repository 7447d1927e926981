/* malloc and free in recursion, with results kept in blocks of the callers: merge sort of active values by comparison. */
#include "check.h"

static NOINLINE void merge(double *a, int n, const double *l, int nl, const double *r, int nr) {
  int i = 0, k = 0;
  for (int at = 0; at < n; at++) a[at] = k == nr || (i < nl && l[i] <= r[k]) ? l[i++] : r[k++];
}
static NOINLINE void sort(double *a, int n) {
  if (n < 2) return;
  int half = n / 2;
  double *l = malloc(half * sizeof(double)), *r = malloc((n - half) * sizeof(double));
  memcpy(l, a, half * sizeof(double));
  memcpy(r, a + half, (n - half) * sizeof(double));
  sort(l, half);
  sort(r, n - half);
  merge(a, n, l, half, r, n - half);
  free(l);
  free(r);
}
static double ordered(const double *x) {
  double t[7], s = 0;
  for (int i = 0; i < 7; i++) t[i] = x[i % 4] * (i % 3 + 1) + 0.01 * i;
  sort(t, 7);
  for (int i = 0; i < 7; i++) s += t[i] * t[i] * (i + 1);
  return s;
}
DERIVED(ordered)

int main(void) {
  double x[4] = {0.6, -0.45, 0.8, 0.5};
  CHECK_DERIVED(ordered, x);
  return check_done();
}
