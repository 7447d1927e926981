/* Matrices as pointers to rows on the heap; elimination that exchanges rows by their pointers only. */
#include "check.h"

static double **matrix(int n) {
  double **a = malloc(n * sizeof *a);
  for (int i = 0; i < n; i++) a[i] = malloc((n + 1) * sizeof **a);
  return a;
}
static void release(double **a, int n) {
  for (int i = 0; i < n; i++) free(a[i]);
  free(a);
}
static double solve(double **a, int n) {
  double determinant = 1;
  for (int k = 0; k < n; k++) {
    int best = k;
    for (int i = k + 1; i < n; i++)
      if (fabs(a[i][k]) > fabs(a[best][k])) best = i;
    if (best != k) {
      double *row = a[k];
      a[k] = a[best];
      a[best] = row;
      determinant = -determinant;
    }
    determinant *= a[k][k];
    for (int i = k + 1; i < n; i++) {
      double m = a[i][k] / a[k][k];
      for (int j = k; j <= n; j++) a[i][j] -= m * a[k][j];
    }
  }
  for (int i = n; i-- > 0;) {
    for (int j = i + 1; j < n; j++) a[i][n] -= a[i][j] * a[j][n];
    a[i][n] /= a[i][i];
  }
  return determinant;
}
static double f(const double *x) {
  double **a = matrix(4);
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 5; j++) a[i][j] = x[(5 * i + j * 3) % 10] + (i == 3 - j ? 2 : 0);
  double s = log(fabs(solve(a, 4)));
  for (int i = 0; i < 4; i++) s += a[i][4] * a[i][4] * (i + 1);
  release(a, 4);
  return s;
}
DERIVED(f)

int main(void) {
  double x[10] = {0.6, 0.7, -0.55, 0.75, -1.1, 0.4, 1.1, -0.2, 0.9, 0.35};
  CHECK_DERIVED(f, x);
  return check_done();
}
