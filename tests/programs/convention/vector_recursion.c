/* Lanes through functions that call themselves and one another. */
#define WIDTH_B 3
#include "vector.h"

static NOINLINE double tree(double *x, int low, int high) {
  if (high - low == 1) return x[low] * x[low];
  int middle = (low + high) / 2;
  double left = tree(x, low, middle), right = tree(x, middle, high);
  x[low] += left * 0.1;
  return left * right + sin(left - right);
}
static double odd(double v, double *x, int depth);
static NOINLINE double even(double v, double *x, int depth) {
  if (depth == 0) return v;
  x[depth % 8] *= 1 + 0.1 * v;
  return odd(v * x[depth % 8], x, depth - 1) + v;
}
static NOINLINE double odd(double v, double *x, int depth) {
  if (depth == 0) return v * v;
  return even(v + x[(depth * 3) % 8], x, depth - 1) * 0.5;
}
static REAL subject(REAL *x, int n) {
  double s = tree(x, 0, n);
  return s * 0.01 + even(x[1], x, 7);
}
