/* realloc where activity is looked at when the program runs: blocks that move, grow and shrink with a shadow or without. */
#include "check.h"

extern int enzyme_runtime_activity;

struct list {
  double *at;
  const double **from;
  int n;
};

static NOINLINE void push(struct list *l, const double *from, double v) {
  if ((l->n & (l->n - 1)) == 0) {
    l->at = realloc(l->at, (l->n ? 2 * l->n : 1) * sizeof *l->at);
    l->from = realloc(l->from, (l->n ? 2 * l->n : 1) * sizeof *l->from);
  }
  l->from[l->n] = from;
  l->at[l->n++] = v;
}
static NOINLINE double total(struct list *l) {
  double s = 0;
  for (int i = 0; i < l->n; i++) s += l->at[i] * *l->from[i] * (i + 1);
  l->at = realloc(l->at, (l->n = 1) * sizeof *l->at);
  return s + l->at[0] * l->at[0];
}
/* Of the two lists, one is made of constants: its blocks are their own shadows where it is given so. */
static double f(struct list *a, struct list *b, const double *x, const double *c, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) {
    push(a, i & 1 ? x + i : c + i, x[i] * x[0]);
    push(b, c + i, c[i]);
  }
  for (int i = 0; i < 3; i++) s += total(i & 1 ? a : b) * x[i];
  free(a->at), free(a->from), free(b->at), free(b->from);
  return s;
}

enum { N = 6 };
static const double fixed[N] = {1.5, -0.5, 0.25, 2, -1, 0.75};

static struct list constant(void) { return (struct list){malloc(sizeof(double)), malloc(sizeof(double *)), 0}; }

static double objective(const double *x) {
  struct list a = {0}, b = constant();
  return f(&a, &b, x, fixed, N);
}
static void gradient(const double *x, double *g) {
  struct list a = {0}, b = constant(), da = {0};
  __enzyme_autodiff((void *)f, enzyme_runtime_activity, enzyme_dup, &a, &da, enzyme_dup, &b, &b, enzyme_dup, x, g, enzyme_dup,
                    fixed, fixed, enzyme_const, N);
}
static double tangent(const double *x, const double *v) {
  struct list a = {0}, b = constant(), da = {0};
  return __enzyme_fwddiff((void *)f, enzyme_runtime_activity, enzyme_dup, &a, &da, enzyme_dup, &b, &b, enzyme_dup, x, v,
                          enzyme_dup, fixed, fixed, enzyme_const, N);
}

int main(void) {
  double x[N] = {0.6, -0.45, 0.8, 0.5, 0.3, -0.7};
  CHECK(objective, gradient, tangent, x);
  return check_done();
}
