/* The derivative of a derivative of many lanes, where the lanes' tangents are zero and their derivatives are not. */
#include "../check.h"

enum { PARTS = 4, POINTS = 23 };

extern int enzyme_width, enzyme_dupv;
void __enzyme_fwddiff_lanes(void *, ...);
void __enzyme_fwddiff_again(void *, ...);
void __enzyme_autodiff_again(void *, ...);

static void model(const double *restrict x, const double *restrict weights, double *restrict out, int n) {
  double *sum = (double *)calloc((size_t)n, sizeof *sum);
  for (int part = 0; part < PARTS; part++) {
    double square = x[part] * x[part], cross = x[part] * x[(part + 1) % PARTS];
    for (int i = 0; i < n; i++) sum[i] += square * weights[i];
    for (int i = 0; i < n; i++) sum[i] = sum[i] + cross * weights[n - 1 - i];
    for (int i = 0; i < n; i++) sum[i] = sum[i] * (1 + square) + cross; /* more than adds */
  }
  for (int i = 0; i < n; i++) out[i] = sum[i] * (1 + sum[i]);
  free(sum);
}

static void columns(const double *x, const double *weights, double *jacobian, int n) {
  double seeds[PARTS][PARTS] = {{0}}, out[POINTS];
  for (int k = 0; k < PARTS; k++) seeds[k][k] = 1;
  __enzyme_fwddiff_lanes((void *)model, enzyme_width, PARTS, enzyme_dupv, sizeof seeds[0], x, seeds, enzyme_const, weights,
                         enzyme_dupv, sizeof out, out, jacobian, enzyme_const, n);
}

#ifndef REFERENCE
static void check_at(const double *x) {
  double weights[POINTS], jacobian[PARTS * POINTS], moved[PARTS * POINTS] = {0}, back[PARTS] = {0}, sum = 0;
  double v[PARTS], ahead[PARTS], behind[PARTS], more[PARTS * POINTS], less[PARTS * POINTS], seeds[PARTS * POINTS];
  for (int i = 0; i < POINTS; i++) weights[i] = cos(0.3 * i);
  for (int k = 0; k < PARTS; k++) v[k] = sin(1.0 + k), ahead[k] = x[k] + 1e-5 * v[k], behind[k] = x[k] - 1e-5 * v[k];
  columns(ahead, weights, more, POINTS);
  columns(behind, weights, less, POINTS);
  __enzyme_fwddiff_again((void *)columns, enzyme_dup, x, v, enzyme_const, weights, enzyme_dup, jacobian, moved,
                         enzyme_const, POINTS);
  for (int i = 0; i < PARTS * POINTS; i++) {
    double expected = (more[i] - less[i]) / 2e-5;
    check_close("forward over lanes", i, moved[i], expected, 1e-7 * (fabs(expected) + 1));
    seeds[i] = sin(0.7 * i);
    sum += seeds[i] * moved[i];
  }
  __enzyme_autodiff_again((void *)columns, enzyme_dup, x, back, enzyme_const, weights, enzyme_dup, jacobian, seeds,
                          enzyme_const, POINTS);
  for (int k = 0; k < PARTS; k++) sum -= back[k] * v[k];
  check_close("reverse over lanes", 0, sum, 0, 1e-9);
}
#endif

int main(void) {
  double zero[PARTS] = {0, 0, 0, 0}, some[PARTS] = {0, 0.7, 0, -0.4}, all[PARTS] = {0.3, 0.7, -0.2, -0.4};
  CHECK_ENGINE(check_at(zero));
  CHECK_ENGINE(check_at(some));
  CHECK_ENGINE(check_at(all));
  return check_done();
}
