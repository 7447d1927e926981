/* Nested rectangular loops, inner values feeding outer ones non-linearly. */
#include "check.h"

#define ROWS 3
#define COLUMNS 4

static double nest(const double *a, int rows, int columns) {
  double total = 1;
  for (int i = 0; i < rows; i++) {
    double row = 0;
    for (int j = 0; j < columns; j++) {
      double cell = a[i * columns + j];
      row += sin(cell) * (j + 1);
      row *= 1 + 0.1 * cell;
    }
    total = total * tanh(row) + row;
  }
  return total;
}

static double deep(const double *x, int n) {
  double s = x[0];
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        for (int l = 0; l < 2; l++) s = s * 0.97 + 0.1 * sin(s * x[(i + j) % n] + x[k] * (l + 1));
  return s;
}

static double nest_objective(const double *x) { return nest(x, ROWS, COLUMNS); }
static void nest_gradient(const double *x, double *g) { __enzyme_autodiff((void *)nest, x, g, ROWS, COLUMNS); }
static double nest_tangent(const double *x, const double *v) {
  return __enzyme_fwddiff((void *)nest, enzyme_dup, x, v, enzyme_const, ROWS, enzyme_const, COLUMNS);
}
static double deep_objective(const double *x) { return deep(x, 3); }
static void deep_gradient(const double *x, double *g) { __enzyme_autodiff((void *)deep, x, g, 3); }
static double deep_tangent(const double *x, const double *v) {
  return __enzyme_fwddiff((void *)deep, enzyme_dup, x, v, enzyme_const, 3);
}

int main(void) {
  double x[ROWS * COLUMNS] = {0.1, 0.5, -0.3, 0.9, 1.2, -0.7, 0.4, 0.2, -1.1, 0.8, 0.6, -0.2}, y[3] = {0.4, -0.3, 0.9};
  CHECK(nest_objective, nest_gradient, nest_tangent, x);
  CHECK(deep_objective, deep_gradient, deep_tangent, y);
  return check_done();
}
