/* Compressed rows built from unsorted triples on the heap, a product, its transpose, and triangular substitution. */
#include "check.h"

struct csr {
  int n, *start, *column;
  double *value;
};

static struct csr build(const int (*at)[2], const double *v, int count, int n) {
  struct csr a = {n, calloc(n + 1, sizeof(int)), malloc(count * sizeof(int)), malloc(count * sizeof(double))};
  int *next = malloc(n * sizeof(int));
  for (int k = 0; k < count; k++) a.start[at[k][0] + 1]++;
  for (int i = 0; i < n; i++) a.start[i + 1] += a.start[i];
  for (int i = 0; i < n; i++) next[i] = a.start[i];
  for (int k = 0; k < count; k++) {
    int p = next[at[k][0]]++;
    a.column[p] = at[k][1];
    a.value[p] = v[k];
  }
  free(next);
  return a;
}
static void times(const struct csr *a, const double *x, double *y) {
  for (int i = 0; i < a->n; i++) {
    double s = 0;
    for (int p = a->start[i]; p < a->start[i + 1]; p++) s += a->value[p] * x[a->column[p]];
    y[i] = s;
  }
}
static void times_transposed(const struct csr *a, const double *x, double *y) {
  memset(y, 0, a->n * sizeof *y);
  for (int i = 0; i < a->n; i++)
    for (int p = a->start[i]; p < a->start[i + 1]; p++) y[a->column[p]] += a->value[p] * x[i];
}
static void substitute(const struct csr *a, double *b) {
  for (int i = 0; i < a->n; i++) {
    double diagonal = 1;
    for (int p = a->start[i]; p < a->start[i + 1]; p++)
      if (a->column[p] < i) b[i] -= a->value[p] * b[a->column[p]];
      else if (a->column[p] == i) diagonal += a->value[p] * a->value[p];
    b[i] /= diagonal;
  }
}
static double f(const double *x) {
  static const int at[9][2] = {{3, 1}, {0, 0}, {2, 3}, {1, 1}, {3, 3}, {2, 0}, {1, 2}, {0, 3}, {3, 0}};
  struct csr a = build(at, x, 9, 4);
  double u[4] = {1, x[3], -0.5, x[1]}, v[4], s = 0;
  for (int k = 0; k < 3; k++) {
    times(&a, u, v);
    times_transposed(&a, v, u);
    substitute(&a, u);
    s += u[k] * v[k + 1];
  }
  free(a.start), free(a.column), free(a.value);
  return s + u[3];
}
DERIVED(f)

int main(void) {
  double x[9] = {0.6, 0.7, -0.55, 0.75, -1.1, 0.4, 1.1, -0.2, 0.9};
  CHECK_DERIVED(f, x);
  return check_done();
}
