/* Two-dimensional arrays: fixed, as parameters with constant and with variable columns, local, column-wise. */
#include "check.h"

static double fixed(const double a[3][4]) {
  double t[4][3], s = 0;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 4; j++) t[j][i] = a[i][j] * a[i][(j + 1) % 4];
  for (int j = 0; j < 4; j++)
    for (int i = 1; i < 3; i++) t[j][i] += t[j][i - 1] * t[(j + 3) % 4][i];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 4; j++) s += t[j][i] * (i + 2 * j);
  return s;
}

static double variable(int n, int m, const double a[n][m]) {
  double s = 0, columns[m];
  for (int j = 0; j < m; j++) {
    columns[j] = 1;
    for (int i = 0; i < n; i++) columns[j] *= a[i][j];
  }
  for (int j = 0; j < m; j++) s += columns[j] * columns[(j + 1) % m];
  return s;
}

static double fixed_objective(const double *x) { return fixed((const double(*)[4])x); }
static void fixed_gradient(const double *x, double *g) { __enzyme_autodiff((void *)fixed, x, g); }
static double fixed_tangent(const double *x, const double *v) { return __enzyme_fwddiff((void *)fixed, enzyme_dup, x, v); }
static double variable_objective(const double *x) { return variable(3, 4, (const double(*)[4])x); }
static void variable_gradient(const double *x, double *g) { __enzyme_autodiff((void *)variable, 3, 4, x, g); }
static double variable_tangent(const double *x, const double *v) {
  return __enzyme_fwddiff((void *)variable, 3, 4, enzyme_dup, x, v);
}

int main(void) {
  double x[12] = {0.6, -0.45, 0.8, 0.5, 0.3, 1.1, 0.1, 0.2, 0.9, 0.4, -0.5, 0.6};
  CHECK(fixed_objective, fixed_gradient, fixed_tangent, x);
  CHECK(variable_objective, variable_gradient, variable_tangent, x);
  return check_done();
}
