/* Soft-minimum alignment of two sequences: a table filled row by row, and the same with two rolling rows. */
#include "check.h"

#define N 4

static double soft(double a, double b, double c) { return -log(exp(-a) + exp(-b) + exp(-c)); }

static double table(const double *x, const double *y, int n) {
  double t[N + 1][N + 1];
  for (int i = 0; i <= n; i++) t[i][0] = t[0][i] = i * 0.7;
  for (int i = 1; i <= n; i++)
    for (int j = 1; j <= n; j++) {
      double d = x[i - 1] - y[j - 1];
      t[i][j] = soft(t[i - 1][j] + 0.7, t[i][j - 1] + 0.7, t[i - 1][j - 1] + d * d);
    }
  return t[n][n];
}
static double rolling(const double *x, const double *y, int n) {
  double row[N + 1];
  for (int j = 0; j <= n; j++) row[j] = j * 0.7;
  for (int i = 1; i <= n; i++) {
    double corner = row[0];
    row[0] = i * 0.7;
    for (int j = 1; j <= n; j++) {
      double d = x[i - 1] - y[j - 1], above = row[j];
      row[j] = soft(above + 0.7, row[j - 1] + 0.7, corner + d * d);
      corner = above;
    }
  }
  return row[n];
}

static double table_objective(const double *x) { return table(x, x + N, N); }
static void table_gradient(const double *x, double *g) {
  __enzyme_autodiff((void *)table, enzyme_dup, x, g, enzyme_dup, x + N, g + N, N);
}
static double table_tangent(const double *x, const double *v) {
  return __enzyme_fwddiff((void *)table, enzyme_dup, x, v, enzyme_dup, x + N, v + N, N);
}
static void rolling_gradient(const double *x, double *g) {
  __enzyme_autodiff((void *)rolling, enzyme_dup, x, g, enzyme_dup, x + N, g + N, N);
}
static double rolling_tangent(const double *x, const double *v) {
  return __enzyme_fwddiff((void *)rolling, enzyme_dup, x, v, enzyme_dup, x + N, v + N, N);
}

int main(void) {
  double x[2 * N] = {0.3, 1.4, -1.0, 0.7, 0.9, 0.6, -0.2, 1.1};
  CHECK(table_objective, table_gradient, table_tangent, x);
  CHECK(table_objective, rolling_gradient, rolling_tangent, x);
  return check_done();
}
