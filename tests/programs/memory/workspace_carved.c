/* Blocks of one allocation handed to several functions that fill, use and overwrite parts of it: a workspace. */
#include "check.h"

struct workspace {
  double *base;
  size_t used;
};
static NOINLINE double *carve(struct workspace *w, size_t n) {
  double *p = w->base + w->used;
  w->used += n;
  return p;
}
static NOINLINE void cumulate(double *out, const double *in, int n) {
  for (int i = 0; i < n; i++) out[i] = in[i] + (i ? out[i - 1] : 0);
}
static NOINLINE double pair_up(struct workspace w, const double *in, int n) {
  double *t = carve(&w, n), s = 0; /* a copy of the struct: what it carves is free again afterwards */
  cumulate(t, in, n);
  for (int i = 0; i < n; i++) s += t[i] * in[n - 1 - i];
  return s;
}
static double plan(const double *x) {
  struct workspace w = {malloc(64 * sizeof(double)), 0};
  double *a = carve(&w, 4), *b = carve(&w, 4), s = 0;
  cumulate(a, x, 4);
  for (int i = 0; i < 3; i++) {
    s += pair_up(w, a, 4);
    cumulate(b, a, 4);
    s += pair_up(w, b, 4) * x[i];
    double *t = a;
    a = b;
    b = t;
  }
  free(w.base);
  return s;
}
DERIVED(plan)

int main(void) {
  double x[4] = {0.6, -0.45, 0.8, 0.5};
  CHECK_DERIVED(plan, x);
  return check_done();
}
