/* A tree and its shadow tree that the caller builds; the function changes the tree as it goes. */
#include "check.h"

struct tree {
  double value;
  struct tree *child[3];
  int count;
};

static struct tree *make(const double *x, int at, int n) {
  struct tree *t = calloc(1, sizeof *t);
  t->value = x ? x[at] : 0;
  for (int k = 3 * at + 1; k <= 3 * at + 3 && k < n; k++) t->child[t->count++] = make(x, k, n);
  return t;
}
static void unmake(struct tree *t) {
  for (int k = 0; k < t->count; k++) unmake(t->child[k]);
  free(t);
}
static void flatten(const struct tree *t, int at, double *out) {
  out[at] = t->value;
  for (int k = 0; k < t->count; k++) flatten(t->child[k], 3 * at + 1 + k, out);
}
static NOINLINE double evaluate(struct tree *t) {
  double s = t->value * t->value;
  for (int k = 0; k < t->count; k++) {
    double below = evaluate(t->child[k]);
    s = k % 2 ? s * below : s + sin(below);
    t->child[k]->value *= 0.5;
    t->value += 0.1 * below * t->child[k]->value;
  }
  return s + t->value;
}
static double f(const double *x) {
  struct tree *t = make(x, 0, 10);
  double s = evaluate(t);
  unmake(t);
  return s;
}
static void gradient(const double *x, double *g) {
  struct tree *t = make(x, 0, 10), *dt = make(0, 0, 10);
  __enzyme_autodiff((void *)evaluate, enzyme_dup, t, dt);
  flatten(dt, 0, g);
  unmake(t);
  unmake(dt);
}
static double tangent(const double *x, const double *v) {
  struct tree *t = make(x, 0, 10), *dt = make(v, 0, 10);
  double s = __enzyme_fwddiff((void *)evaluate, enzyme_dup, t, dt);
  unmake(t);
  unmake(dt);
  return s;
}

int main(void) {
  double x[10] = {0.6, 0.7, -0.55, 0.75, -1.1, 0.4, 1.1, -0.2, 0.9, 0.35};
  CHECK(f, gradient, tangent, x);
  return check_done();
}
