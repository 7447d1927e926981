// The library's search: in structures, in active numbers, in a constant table, and for what is not there.
#include "check.h"
struct e { int key; double v; };
static int cmp(const void *a, const void *b) { return ((const struct e *)a)->key - ((const struct e *)b)->key; }
static double f(const double *x) {
  struct e t[5];
  for (int i = 0; i < 5; i++) { t[i].key = 3 * i; t[i].v = x[i % 2] * (i + 1); }
  struct e k = {9, 0}, n = {4, 0};
  struct e *r = bsearch(&k, t, 5, sizeof *t, cmp);
  struct e *q = bsearch(&n, t, 5, sizeof *t, cmp);
  r->v *= x[0];
  return r->v * r->v + (q ? 1 : t[1].v);
}
DERIVED(f)
static int bydouble(const void *a, const void *b) { double p = *(const double *)a, q = *(const double *)b; return p < q ? -1 : p > q; }
static double g(const double *x) {
  double t[4] = {x[0], x[0] + 1, x[0] + 2, x[0] + 3}, k = t[2];
  double *r = bsearch(&k, t, 4, sizeof *t, bydouble);
  return *r * *r * x[1];
}
DERIVED(g)
static double h(const double *x) {
  static const double grid[6] = {0, 1, 2, 3, 4, 5}; double k = 3;
  const double *r = bsearch(&k, grid, 6, sizeof *grid, bydouble);
  return *r * x[0] + (r - grid) * x[1];
}
DERIVED(h)
int main(void) {
  double x[] = {0.7, 1.3};
  CHECK_DERIVED(f, x);
  CHECK_DERIVED(g, x);
  CHECK_DERIVED(h, x);
  return check_done();
}
