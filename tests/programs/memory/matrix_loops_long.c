/* Loops over rows of matrices stored by columns, with more rows than are taken at a time when the loops of the
 * derivative are exchanged: one, just below, at and above that number. Gradients in closed form. */
#include "check.h"

#define ROWS 530
#define COLUMNS 5

static NOINLINE void product(const double *restrict a, const double *restrict x, double *restrict y, int rows,
                             int columns) {
  for (int i = 0; i < rows; i++) {
    double s = 0;
    for (int j = 0; j < columns; j++) s += a[j * (long)rows + i] * x[j];
    y[i] = s;
  }
}
/* something before and behind the inner loop of the derivative, which use one another */
static NOINLINE void weighted(const double *restrict a, const double *restrict x, double *restrict y, int rows,
                             int columns) {
  for (int i = 0; i < rows; i++) {
    const double w = y[i];
    double s = 0;
    for (int j = 0; j < columns; j++) s += a[j * (long)rows + i] * x[j];
    y[i] = s * w * w * w;
  }
}
/* by the backward loop, and two matrices at once */
static NOINLINE void twice(const double *restrict a, const double *restrict x, double *restrict y, int rows,
                             int columns) {
  for (int i = rows - 1; i >= 0; i--) {
    double s = 0;
    for (int j = columns - 1; j >= 0; j--) s += a[j * (long)rows + i] * x[j] + x[columns - 1 - j] * a[j * (long)rows + i] * a[i];
    y[i] = s;
  }
}
static NOINLINE void single(const float *restrict a, const float *restrict x, float *restrict y, int rows,
                             int columns) {
  for (int i = 0; i < rows; i++) {
    float s = 0;
    for (int j = 0; j < columns; j++) s += a[j * (long)rows + i] * x[j];
    y[i] = s;
  }
}

static double a[ROWS * COLUMNS], da[ROWS * COLUMNS], want[ROWS * COLUMNS];
static double x[COLUMNS], dx[COLUMNS], want_x[COLUMNS], y[ROWS], dy[ROWS], want_y[ROWS];
static float fa[ROWS * COLUMNS], fda[ROWS * COLUMNS], fx[COLUMNS], fdx[COLUMNS], fy[ROWS], fdy[ROWS];

static double seed(int i) { return cos(0.3 * i) + 0.25; }

static void start(int rows, int columns) {
  for (int i = 0; i < rows * columns; i++) a[i] = sin(0.7 * i + 0.1), da[i] = want[i] = 0.01 * i;
  for (int j = 0; j < columns; j++) x[j] = 0.5 + 0.25 * j, dx[j] = want_x[j] = j;
  for (int i = 0; i < rows; i++) y[i] = 1 + 0.001 * i, dy[i] = seed(i), want_y[i] = 0;
}
static void compare(const char *name, int rows, int columns) {
  if (!ENGINE) return;
  for (int i = 0; i < rows * columns; i++) check_close(name, i, da[i], want[i], 1e-10 * (1 + fabs(want[i])));
  for (int j = 0; j < columns; j++) check_close(name, j, dx[j], want_x[j], 1e-10 * (1 + fabs(want_x[j])));
  for (int i = 0; i < rows; i++) check_close(name, i, dy[i], want_y[i], 1e-10 * (1 + fabs(want_y[i])));
}
#ifdef REFERENCE
#define REVERSE(f) (void)f
#define INSIDE(f) (void)f
#else
#define REVERSE(f) __enzyme_autodiff((void *)f, enzyme_dup, a, da, enzyme_dup, x, dx, enzyme_dup, y, dy, rows, columns)
#define INSIDE(f) __enzyme_autodiff((void *)f, enzyme_dup, a, da, enzyme_dup, a, da, enzyme_dup, y, dy, rows, columns)
#endif

static void all(int rows, int columns) {
  start(rows, columns);
  for (int j = 0; j < columns; j++)
    for (int i = 0; i < rows; i++) want[j * rows + i] += seed(i) * x[j], want_x[j] += seed(i) * a[j * rows + i];
  REVERSE(product);
  compare("product", rows, columns);

  start(rows, columns); /* the vector lies in the matrix: both are only read */
  for (int j = 0; j < columns; j++)
    for (int i = 0; i < rows; i++)
      want[j * rows + i] += seed(i) * a[j], want[j] += seed(i) * a[j * rows + i];
  for (int j = 0; j < columns; j++) want_x[j] = dx[j];
  if (ENGINE && rows >= columns) {
    INSIDE(product);
    compare("inside", rows, columns);
  }

  start(rows, columns);
  for (int i = 0; i < rows; i++) {
    const double w = y[i];
    double s = 0;
    for (int j = 0; j < columns; j++) s += a[j * rows + i] * x[j];
    want_y[i] = seed(i) * 3 * w * w * s;
    for (int j = 0; j < columns; j++) {
      want[j * rows + i] += seed(i) * w * w * w * x[j];
      want_x[j] += seed(i) * w * w * w * a[j * rows + i];
    }
  }
  REVERSE(weighted);
  compare("weighted", rows, columns);

  start(rows, columns);
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < columns; j++) {
      const double e = a[j * rows + i];
      want[j * rows + i] += seed(i) * (x[j] + x[columns - 1 - j] * a[i]);
      want[i] += seed(i) * x[columns - 1 - j] * e;
      want_x[j] += seed(i) * e;
      want_x[columns - 1 - j] += seed(i) * e * a[i];
    }
  REVERSE(twice);
  compare("twice", rows, columns);

  start(rows, columns);
  for (int i = 0; i < rows * columns; i++) fa[i] = (float)a[i], fda[i] = 0, want[i] = 0;
  for (int j = 0; j < columns; j++) fx[j] = (float)x[j], fdx[j] = 0, want_x[j] = 0;
  for (int i = 0; i < rows; i++) fdy[i] = (float)seed(i);
  for (int j = 0; j < columns; j++)
    for (int i = 0; i < rows; i++) want[j * rows + i] += seed(i) * x[j], want_x[j] += seed(i) * a[j * rows + i];
#ifndef REFERENCE
  __enzyme_autodiff((void *)single, enzyme_dup, fa, fda, enzyme_dup, fx, fdx, enzyme_dup, fy, fdy, rows, columns);
  for (int i = 0; i < rows * columns; i++) check_close("single", i, fda[i], want[i], 1e-5);
  for (int j = 0; j < columns; j++) check_close("single x", j, fdx[j], want_x[j], 1e-3);
#endif
}

int main(void) {
  static const int rows[] = {1, 2, 255, 256, 257, 513, ROWS};
  for (int r = 0; r < COUNT(rows); r++)
    for (int columns = 1; columns <= COLUMNS; columns += 2) all(rows[r], columns);
  check_value("ran", 1, 1, 1e-9);
  return check_done();
}
