/* Recursion over memory: a tree by index, a divide-and-conquer product, an in-place recursive update. */
#include "check.h"

static double tree(const double *x, int at, int n) {
  if (at >= n) return 0.5;
  double left = tree(x, 2 * at + 1, n), right = tree(x, 2 * at + 2, n);
  return x[at] * left + sin(right * x[at]);
}
static double product(const double *x, int low, int high) {
  if (high - low == 1) return x[low] + 1;
  int middle = (low + high) / 2;
  return product(x, low, middle) * product(x, middle, high);
}
static void haar(double *a, int n) {
  if (n < 2) return;
  double t[8];
  for (int i = 0; i < n / 2; i++) {
    t[i] = (a[2 * i] + a[2 * i + 1]) * 0.5;
    t[n / 2 + i] = a[2 * i] * a[2 * i + 1];
  }
  for (int i = 0; i < n; i++) a[i] = t[i];
  haar(a, n / 2);
}

static double tree_objective(const double *x) { return tree(x, 0, 7); }
static void tree_gradient(const double *x, double *g) { __enzyme_autodiff((void *)tree, x, g, 0, 7); }
static double tree_tangent(const double *x, const double *v) {
  return __enzyme_fwddiff((void *)tree, enzyme_dup, x, v, 0, 7);
}
static double product_objective(const double *x) { return product(x, 0, 7); }
static void product_gradient(const double *x, double *g) { __enzyme_autodiff((void *)product, x, g, 0, 7); }
static double product_tangent(const double *x, const double *v) {
  return __enzyme_fwddiff((void *)product, enzyme_dup, x, v, 0, 7);
}
static double haar_objective(const double *x) {
  double a[8], s = 0;
  memcpy(a, x, sizeof a);
  haar(a, 8);
  for (int i = 0; i < 8; i++) s += a[i] * (i + 1);
  return s;
}
static void haar_gradient(const double *x, double *g) {
  double a[8];
  memcpy(a, x, sizeof a);
  for (int i = 0; i < 8; i++) g[i] = i + 1;
  __enzyme_autodiff((void *)haar, a, g, 8);
}
static double haar_tangent(const double *x, const double *v) {
  double a[8], d[8], s = 0;
  memcpy(a, x, sizeof a);
  memcpy(d, v, sizeof d);
  __enzyme_fwddiff((void *)haar, enzyme_dup, a, d, 8);
  for (int i = 0; i < 8; i++) s += d[i] * (i + 1);
  return s;
}

int main(void) {
  double x[8] = {0.6, -0.45, 0.8, 0.5, -1.2, 0.3, 0.9, 0.4};
  CHECK_N(tree_objective, tree_gradient, tree_tangent, x, 7);
  CHECK_N(product_objective, product_gradient, product_tangent, x, 7);
  CHECK(haar_objective, haar_gradient, haar_tangent, x);
  return check_done();
}
