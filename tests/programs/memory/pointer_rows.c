/* Rows through pointers to pointers: the table of rows has a table of shadow rows; rows swapped; rows made inside. */
#include "check.h"

static double rows(double **a, int n, int m) {
  double s = 0;
  for (int i = 0; i < n; i++)
    for (int j = 1; j < m; j++) {
      a[i][j] += a[i][j - 1] * a[(i + 1) % n][j];
      s += a[i][j] * a[i][j];
    }
  double *t = a[0];
  a[0] = a[n - 1];
  a[n - 1] = t;
  for (int j = 0; j < m; j++) s += a[0][j] * sin(a[1][j]);
  return s;
}

static double inside(const double *x, int n) {
  double **t = malloc(n * sizeof *t), s = 0;
  for (int i = 0; i < n; i++) {
    t[i] = malloc((i + 1) * sizeof(double));
    for (int j = 0; j <= i; j++) t[i][j] = x[i] * x[j];
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) s += t[i][j] * t[n - 1][n - 1 - j];
  for (int i = 0; i < n; i++) free(t[i]);
  free(t);
  return s;
}

static double rows_objective(const double *x) {
  double u[12], *a[3] = {u, u + 4, u + 8};
  memcpy(u, x, sizeof u);
  return rows(a, 3, 4);
}
static void rows_gradient(const double *x, double *g) {
  double u[12], *a[3] = {u, u + 4, u + 8}, *d[3] = {g, g + 4, g + 8};
  memcpy(u, x, sizeof u);
  __enzyme_autodiff((void *)rows, enzyme_dup, a, d, 3, 4);
}
static double rows_tangent(const double *x, const double *v) {
  double u[12], du[12], *a[3] = {u, u + 4, u + 8}, *d[3] = {du, du + 4, du + 8};
  memcpy(u, x, sizeof u);
  memcpy(du, v, sizeof du);
  return __enzyme_fwddiff((void *)rows, enzyme_dup, a, d, 3, 4);
}
static double inside_objective(const double *x) { return inside(x, 5); }
static void inside_gradient(const double *x, double *g) { __enzyme_autodiff((void *)inside, x, g, 5); }
static double inside_tangent(const double *x, const double *v) {
  return __enzyme_fwddiff((void *)inside, enzyme_dup, x, v, 5);
}

int main(void) {
  double x[12] = {0.6, -0.45, 0.8, 0.5, 0.3, 1.1, 0.1, 0.2, 0.9, 0.4, -0.5, 0.6}, y[5] = {0.3, 0.7, -0.4, 0.9, 0.5};
  CHECK(rows_objective, rows_gradient, rows_tangent, x);
  CHECK(inside_objective, inside_gradient, inside_tangent, y);
  return check_done();
}
