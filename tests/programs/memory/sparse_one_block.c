/* A sparse matrix in compressed rows: index arrays and values in one allocation, assembled by insertion. */
#include "check.h"

struct sparse {
  int n, *start, *column;
  double *value;
  void *block;
};
static NOINLINE struct sparse *assemble(const double *x, int n) {
  struct sparse *m = malloc(sizeof *m);
  m->n = n;
  m->block = malloc(3 * n * sizeof(double) + (4 * n + 1) * sizeof(int));
  m->value = m->block;
  m->column = (int *)(m->value + 3 * n);
  m->start = m->column + 3 * n;
  int at = 0;
  for (int i = 0; i < n; i++) {
    m->start[i] = at;
    for (int k = i - 1; k <= i + 1; k++)
      if (k >= 0 && k < n) {
        m->column[at] = k;
        m->value[at++] = (k == i ? 2 : -1) * x[i] + x[k] * x[k];
      }
  }
  m->start[n] = at;
  return m;
}
static NOINLINE void apply(const struct sparse *m, const double *v, double *out) {
  for (int i = 0; i < m->n; i++) {
    out[i] = 0;
    for (int k = m->start[i]; k < m->start[i + 1]; k++) out[i] += m->value[k] * v[m->column[k]];
  }
}
static NOINLINE void drop(struct sparse *m) {
  free(m->block);
  free(m);
}
static double quadratic(const double *x) {
  struct sparse *m = assemble(x, 4);
  double a[4], b[4], s = 0;
  apply(m, x, a);
  apply(m, a, b);
  for (int i = 0; i < 4; i++) s += b[i] * x[i];
  drop(m);
  return s;
}
DERIVED(quadratic)

int main(void) {
  double x[4] = {0.6, -0.45, 0.8, 0.5};
  CHECK_DERIVED(quadratic, x);
  return check_done();
}
