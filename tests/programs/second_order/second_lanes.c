/* A whole Hessian in one call: a forward derivative of several lanes over a reverse one. */
#include "second.h"
extern int enzyme_width, enzyme_dupv, enzyme_dupnoneedv;
#define N 4

static double f(const double *x) {
  double s = 0;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < i; j++) s += x[i] * x[j] * exp(0.2 * x[i]);
  return s;
}
SECOND(f, N)
#ifndef REFERENCE
static void hessian(const double *x, double *h) {
  double g[N] = {0}, seeds[N][N] = {{0}};
  for (int i = 0; i < N; i++) seeds[i][i] = 1;
  __enzyme_fwddiff((void *)f_gradient, enzyme_width, N, enzyme_dupv, sizeof seeds[0], x, seeds, enzyme_dupv,
                   sizeof seeds[0], g, h);
}
static void rows(const double *x, double *h) { /* reverse of several lanes over reverse */
  double g[N] = {0}, seeds[N][N] = {{0}};
  for (int i = 0; i < N; i++) seeds[i][i] = 1;
  __enzyme_autodiff((void *)f_gradient, enzyme_width, N, enzyme_dupv, sizeof seeds[0], x, h, enzyme_dupv,
                    sizeof seeds[0], g, seeds);
}
static void check_all(const double *x) {
  double h[N * N] = {0}, r[N * N] = {0};
  hessian(x, h);
  rows(x, r);
  for (int c = 0; c < N; c++) {
    double v[N] = {0}, expected[N] = {0};
    v[c] = 1;
    f_fr(x, v, expected);
    for (int i = 0; i < N; i++) {
      check_value("columns", h[c * N + i], expected[i], 1e-12);
      check_value("rows", r[c * N + i], expected[i], 1e-12);
    }
  }
}
#endif

int main(void) {
  double x[N] = {0.3, 1.2, -0.5, 0.9};
  CHECK_ENGINE(SECOND_CHECK(f, x, N));
  CHECK_ENGINE(check_all(x));
  return check_done();
}
