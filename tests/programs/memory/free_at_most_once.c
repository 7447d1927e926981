/* Blocks that are freed once, on some ways only, through one of several pointers, as null, and again and again. */
#include "check.h"
#define N 6

static double sums(const double *x, int n, int way) {
  double *first = (double *)malloc(n * sizeof(double)), *second = NULL, *kept = NULL;
  double total = 0;
  for (int i = 0; i < n; i++) first[i] = x[i] * x[i];
  if (way & 1) {
    second = (double *)calloc(n, sizeof(double));
    for (int i = 0; i < n; i++) second[i] = sin(first[i]);
    if (way & 2) { /* freed in the midst; its place may be given to the next one */
      for (int i = 0; i < n; i++) total += second[i] * first[i];
      free(second);
      second = NULL;
    }
  }
  double *third = (double *)malloc(n * sizeof(double));
  for (int i = 0; i < n; i++) third[i] = first[i] * x[(i + 1) % n];
  for (int i = 0; i < n; i++) { /* freed in a loop */
    double *inside = (double *)malloc(2 * sizeof(double));
    inside[0] = third[i];
    inside[1] = inside[0] * x[i];
    total += inside[0] * inside[1];
    free(inside);
  }
  if (total > 1e6) { /* not taken */
    free(first);
    free(third);
    free(second);
    return x[0];
  }
  double *one = way & 4 ? first : third, *other = way & 4 ? third : first;
  for (int i = 0; i < n; i++) one[i] *= other[i];
  total += one[0] * one[n - 1] + (second ? second[1] : 0.0);
  free(other);
  total += one[1] * 0.5;
  if (way & 8) {
    kept = (double *)realloc(one, 2 * n * sizeof(double));
    kept[n] = kept[2] * kept[2];
    total += kept[n];
    free(kept);
  } else
    free(one);
  free(second);
  return total;
}
static int way;
static double objective(const double *x) { return sums(x, N, way); }
static void gradient(const double *x, double *g) {
  __enzyme_autodiff((void *)sums, enzyme_dup, x, g, enzyme_const, N, enzyme_const, way);
}
static double tangent(const double *x, const double *v) {
  return __enzyme_fwddiff((void *)sums, enzyme_dup, x, v, enzyme_const, N, enzyme_const, way);
}

int main(void) {
  double x[N];
  for (int i = 0; i < N; i++) x[i] = 0.6 + 0.3 * sin(2.1 * i);
  for (way = 0; way < 16; way++) CHECK(objective, gradient, tangent, x);
  return check_done();
}
