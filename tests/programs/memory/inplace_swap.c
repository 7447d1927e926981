/* Swaps, reversal, rotation and a permutation in place. */
#include "check.h"

#define N 7

static void swap(double *a, double *b) {
  double t = *a;
  *a = *b;
  *b = t;
}

static double shuffle(double *a, const int *p, int n) {
  for (int i = 0, j = n - 1; i < j; i++, j--) swap(&a[i], &a[j]);
  double first = a[0];
  for (int i = 0; i + 1 < n; i++) a[i] = a[i + 1] * (1 + 0.1 * a[i + 1]);
  a[n - 1] = first;
  for (int i = 0; i < n; i++)
    if (p[i] != i) swap(a + i, a + p[i]);
  double s = 0;
  for (int i = 0; i < n; i++) s += (i + 1) * a[i] * a[i];
  return s;
}

static const int permutation[N] = {3, 1, 0, 6, 2, 5, 4};
static double objective(const double *x) {
  double u[N];
  memcpy(u, x, sizeof u);
  return shuffle(u, permutation, N);
}
static void gradient(const double *x, double *g) {
  double u[N];
  memcpy(u, x, sizeof u);
  __enzyme_autodiff((void *)shuffle, enzyme_dup, u, g, enzyme_const, permutation, N);
}
static double tangent(const double *x, const double *v) {
  double u[N], du[N];
  memcpy(u, x, sizeof u);
  memcpy(du, v, sizeof du);
  return __enzyme_fwddiff((void *)shuffle, enzyme_dup, u, du, enzyme_const, permutation, N);
}

int main(void) {
  double x[N] = {0.6, -0.45, 0.8, 0.5, 1.2, 0.4, -0.7};
  CHECK(objective, gradient, tangent, x);
  return check_done();
}
