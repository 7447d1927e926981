/* memset over structs and arrays of pointers in a loop: what was there before is not found again, nor freed again. */
#include "check.h"

struct holder {
  double *data, scale;
  int n;
};
static NOINLINE void fill(struct holder *h, const double *x, int n) {
  if (!h->data) h->data = calloc(n, sizeof(double));
  for (int i = 0; i < n; i++) h->data[i] = h->data[i] * 0.5 + x[i] * h->scale;
  h->n = n;
}
static NOINLINE void drop(struct holder *h) {
  free(h->data);
  memset(h, 0, sizeof *h);
}
static double f(const double *x, int rounds) {
  double s = 0.1, *rows[3];
  struct holder h[2];
  memset(h, 0, sizeof h);
  for (int r = 0; r < rounds; r++) {
    memset(rows, 0, rounds * sizeof *rows);
    for (int i = 0; i < 2; i++) {
      h[i].scale = s + i;
      fill(&h[i], x, 3);
      rows[(r + i) % 3] = h[i].data;
    }
    for (int i = 0; i < 3; i++)
      if (rows[i]) s += sin(rows[i][r] * (i + 1));
    drop(&h[r % 2]);
    if (r == 1) drop(&h[1]);
  }
  drop(&h[0]);
  drop(&h[1]);
  free(h[0].data);
  return s;
}
static double objective(const double *x) { return f(x, 3); }
static void gradient(const double *x, double *g) { __enzyme_autodiff((void *)f, enzyme_dup, x, g, enzyme_const, 3); }
static double tangent(const double *x, const double *v) {
  return __enzyme_fwddiff((void *)f, enzyme_dup, x, v, enzyme_const, 3);
}

int main(void) {
  double x[3] = {0.6, 0.7, -0.55};
  CHECK(objective, gradient, tangent, x);
  return check_done();
}
