/* A binary tree built, folded, updated in place and destroyed by four recursive functions. */
#include "check.h"

struct tree {
  double value;
  struct tree *left, *right;
};

static NOINLINE struct tree *plant(const double *x, int depth, int at) {
  if (depth == 0) return 0;
  struct tree *t = malloc(sizeof *t);
  t->value = x[at % 4] * (at + 1);
  t->left = plant(x, depth - 1, 2 * at + 1);
  t->right = plant(x, depth - 1, 2 * at + 2);
  return t;
}

static NOINLINE double fold(const struct tree *t) {
  if (!t) return 1;
  return sin(t->value) * fold(t->left) + t->value * fold(t->right);
}

static NOINLINE void twist(struct tree *t, double by) {
  if (!t) return;
  t->value *= by;
  struct tree *kept = t->left;
  t->left = t->right;
  t->right = kept;
  twist(t->left, by * t->value);
  twist(t->right, by);
}

static NOINLINE void fell(struct tree *t) {
  if (!t) return;
  fell(t->left);
  fell(t->right);
  free(t);
}

static double life(const double *x) {
  struct tree *t = plant(x, 3, 0);
  double s = fold(t);
  twist(t, x[1]);
  s += fold(t) * x[2];
  fell(t->left);
  t->left = plant(x, 2, 1);
  s += fold(t);
  fell(t);
  return s;
}

static void gradient(const double *x, double *g) { __enzyme_autodiff((void *)life, x, g); }
static double tangent(const double *x, const double *v) { return __enzyme_fwddiff((void *)life, enzyme_dup, x, v); }

int main(void) {
  double x[4] = {0.6, -0.45, 0.8, 0.5};
  for (int round = 0; round < 2; round++) CHECK(life, gradient, tangent, x);
  return check_done();
}
