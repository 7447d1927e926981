/* A search tree of heap nodes, keyed by active values: inserted through pointers to pointers, folded, freed. */
#include "check.h"

struct node {
  double key, weight;
  int depth;
  struct node *left, *right;
};

static void insert(struct node **at, double key, double weight) {
  int depth = 0;
  while (*at) {
    (*at)->weight += 0.1 * weight * (*at)->key;
    at = key < (*at)->key ? &(*at)->left : &(*at)->right;
    depth++;
  }
  *at = calloc(1, sizeof **at);
  (*at)->key = key;
  (*at)->weight = weight;
  (*at)->depth = depth;
}
static NOINLINE double fold(const struct node *t, double s) {
  if (!t) return s;
  s = fold(t->left, s * 0.9);
  s += t->key * t->weight * (1 + t->depth);
  return fold(t->right, s);
}
static NOINLINE void drop(struct node *t) {
  if (!t) return;
  drop(t->left);
  drop(t->right);
  free(t);
}
static double f(const double *x) {
  struct node *root = 0;
  for (int i = 0; i < 8; i++) insert(&root, x[i] * x[i] * x[i] + 0.2, sin(x[(i + 3) % 8]));
  double s = fold(root, 0.1);
  drop(root);
  return s;
}
DERIVED(f)

int main(void) {
  double x[8] = {0.6, 0.7, -0.55, 0.75, -1.1, 0.4, 1.1, -0.2};
  CHECK_DERIVED(f, x);
  return check_done();
}
