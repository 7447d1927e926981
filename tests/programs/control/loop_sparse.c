/* Inner trip counts read from memory: a sparse matrix in compressed rows, and row lengths that are sometimes zero. */
#include "check.h"

static const int start[5] = {0, 2, 2, 5, 7}, column[7] = {0, 3, 1, 2, 3, 0, 1};

static void multiply(int rows, const int *starts, const int *columns, const double *values, const double *x, double *y) {
  for (int i = 0; i < rows; i++) {
    double s = 0;
    for (int k = starts[i]; k < starts[i + 1]; k++) s += values[k] * x[columns[k]];
    y[i] = s * s;
  }
}

/* The inputs are values (7), then x (4). */
static double objective(const double *in) {
  double y[4], s = 0;
  multiply(4, start, column, in, in + 7, y);
  for (int i = 0; i < 4; i++) s += (i + 1) * y[i];
  return s;
}
static void gradient(const double *in, double *g) {
  double y[4], dy[4] = {1, 2, 3, 4};
  __enzyme_autodiff((void *)multiply, 4, enzyme_const, start, enzyme_const, column, enzyme_dup, in, g, enzyme_dup,
                    in + 7, g + 7, enzyme_dup, y, dy);
}
static double tangent(const double *in, const double *v) {
  double y[4], dy[4], s = 0;
  __enzyme_fwddiff((void *)multiply, 4, enzyme_const, start, enzyme_const, column, enzyme_dup, in, v, enzyme_dup,
                   in + 7, v + 7, enzyme_dup, y, dy);
  for (int i = 0; i < 4; i++) s += (i + 1) * dy[i];
  return s;
}

int main(void) {
  double in[11] = {0.3, 0.8, -0.2, 0.6, 0.45, -0.7, 0.4, 0.15, -0.35, 0.55, 0.9};
  CHECK(objective, gradient, tangent, in);
  return check_done();
}
