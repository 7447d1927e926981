/* Heap scratch: malloc, calloc, freed at the end; used by two loops; one block for two arrays. */
#include "check.h"

static double heap(const double *x, int n) {
  double *t = malloc(n * sizeof(double));
  double *block = calloc(2 * n, sizeof(double));
  double *u = block, *w = block + n;
  double s = 0;
  for (int i = 0; i < n; i++) t[i] = x[i] * x[i] + 1;
  for (int i = 0; i < n; i++) {
    u[i] = t[i] * t[(i + 1) % n];
    w[n - 1 - i] += log(t[i]) * u[0];
  }
  for (int i = 0; i < n; i++) s += u[i] * w[i];
  free(t);
  free(block);
  return s;
}

static double objective(const double *x) { return heap(x, 5); }
static void gradient(const double *x, double *g) { __enzyme_autodiff((void *)heap, x, g, 5); }
static double tangent(const double *x, const double *v) { return __enzyme_fwddiff((void *)heap, enzyme_dup, x, v, 5); }

int main(void) {
  double x[5] = {0.6, -0.45, 0.8, 0.5, 0.3};
  for (int round = 0; round < 3; round++) CHECK(objective, gradient, tangent, x);
  return check_done();
}
