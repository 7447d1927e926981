/* Lanes of memory that is allocated, grown and freed on the way, also by functions called for it. */
#include "vector.h"

static NOINLINE double *copy_of(const double *x, int n) {
  double *made = (double *)malloc(n * sizeof *made);
  for (int i = 0; i < n; i++) made[i] = x[i] * x[i];
  return made;
}
static NOINLINE void give_back(double *p) { free(p); }
static REAL subject(REAL *x, int n) {
  double s = 0;
  for (int k = 1; k <= n; k++) {
    double *scratch = (double *)calloc(k, sizeof *scratch);
    for (int i = 0; i < k; i++) scratch[i] += x[i] * k * 0.1;
    for (int i = 1; i < k; i++) scratch[i] *= scratch[i - 1] + 1;
    s += scratch[k - 1];
    free(scratch);
  }
  double *copy = copy_of(x, n);
  copy = (double *)realloc(copy, 2 * n * sizeof *copy);
  for (int i = 0; i < n; i++) copy[n + i] = copy[i] * s;
  for (int i = 0; i < n; i++) x[i] += copy[2 * n - 1 - i] * copy[i];
  give_back(copy);
  return s;
}
