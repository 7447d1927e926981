/* Level 1 of a BLAS that the program does not define: increments of all signs, numbers as arguments, single precision. */
#include "check.h"
#include "parts/plain_blas.h"

static double level_one(const double *x) {
  double a[8], b[8];
  cblas_dcopy(8, x, 1, a, 1);
  cblas_dcopy(4, x, 2, b, -1);
  cblas_dcopy(4, x + 1, 2, b + 4, 1);
  cblas_daxpy(4, x[3], a, 2, b, 1);
  cblas_dscal(3, x[1] * x[2], b + 1, 2);
  cblas_dswap(3, a, 1, b + 2, -2);
  cblas_drot(4, a, 2, b, 1, x[0], x[5]);
  double s = cblas_ddot(8, a, 1, b, -1) + cblas_dnrm2(4, a + 1, 2) * cblas_dasum(7, b, 1);
  cblas_dscal(3, x[1], a + 1, -1); /* does nothing */
  s += x[2] * cblas_dasum(3, a, -2);
  int three = 3, one = 1, back = -2;
  s += ddot_(&three, a, &one, b, &back);
  return s * a[cblas_idamax(8, x, 1)];
}
DERIVED(level_one)

static double single(const double *x) {
  float a[8];
  for (int i = 0; i < 8; i++) a[i] = (float)x[i];
  return cblas_sdot(4, a, 1, a + 4, 1);
}
static void single_gradient(const double *x, double *g) { __enzyme_autodiff((void *)single, enzyme_dup, x, g); }
static void single_closed(const double *x, double *g) {
  for (int i = 0; i < 8; i++) g[i] = x[(i + 4) % 8];
}

#ifndef REFERENCE
/* The routine itself is what is differentiated. */
static void outright(const double *x) {
  double g[8] = {0};
  __enzyme_autodiff((void *)cblas_ddot, enzyme_const, 4, enzyme_dup, x, g, enzyme_const, 1, enzyme_const, x + 4, enzyme_const, 1);
  for (int i = 0; i < 4; i++) check_value("ddot", g[i], x[4 + i], 1e-14);
}
#endif

int main(void) {
  double x[8] = {0.5, -1.25, 2, 0.75, -0.5, 1.5, 0.25, 3}, got[8] = {0}, expected[8];
  CHECK_DERIVED(level_one, x);
  CHECK_ENGINE(outright(x));
  CHECK_ENGINE(single_gradient(x, got));
  single_closed(x, expected);
  for (int i = 0; i < 8; i++) CHECK_ENGINE(check_value("sdot", got[i], expected[i], 1e-6));
  return check_done();
}
