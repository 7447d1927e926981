/* enzyme_dupv and enzyme_dupnoneedv: the shadows lie at a fixed distance in bytes. */
#include "check.h"
extern int enzyme_width, enzyme_dupv, enzyme_dupnoneedv;
struct three {
  double t[3];
};
extern struct three __enzyme_fwddiff_three(void *, ...);
extern void __enzyme_fwddiff_void(void *, ...);

static double f(const double *x, int n) {
  double s = 1;
  for (int i = 0; i < n; i++) s *= 1 + x[i] * x[i];
  return s;
}
static void g(const double *x, double *y, int n) {
  for (int i = 0; i < n; i++) y[i] = x[i] * x[n - 1 - i];
}
static double h(double x) { return x * x * x; }

static void check_all(void) {
  double x[4] = {0.3, 1.1, -0.4, 0.8}, d[3][4], y[4], e[3][4] = {{0}}, rows[3][4] = {{0}};
  for (int k = 0; k < 3; k++)
    for (int i = 0; i < 4; i++) d[k][i] = cos(i + 2.0 * k);
  struct three r = __enzyme_fwddiff_three((void *)f, enzyme_width, 3, enzyme_dupv, sizeof d[0], x, d, enzyme_const, 4);
  for (int k = 0; k < 3; k++)
    check_value("number", r.t[k], __enzyme_fwddiff((void *)f, enzyme_dup, x, d[k], enzyme_const, 4), 1e-13);
  __enzyme_fwddiff_void((void *)g, enzyme_width, 3, enzyme_dupv, 32, x, d, enzyme_dupnoneedv, 32, y, e, enzyme_const, 4);
  for (int k = 0; k < 3; k++)
    for (int i = 0; i < 4; i++) check_value("array", e[k][i], d[k][i] * x[3 - i] + x[i] * d[k][3 - i], 1e-13);
  r = __enzyme_fwddiff_three((void *)h, enzyme_width, 3, enzyme_dupv, 32, 2.0, &d[0][1]);
  for (int k = 0; k < 3; k++) check_value("by value", r.t[k], 12 * d[k][1], 1e-13);
  __enzyme_autodiff((void *)f, enzyme_width, 3, enzyme_dupv, 32L, x, rows, enzyme_const, 4);
  double one[4] = {0};
  __enzyme_autodiff((void *)f, enzyme_dup, x, one, enzyme_const, 4);
  for (int k = 0; k < 3; k++)
    for (int i = 0; i < 4; i++) check_value("reverse", rows[k][i], one[i], 1e-13);
}

int main(void) {
  CHECK_ENGINE(check_all());
  return check_done();
}
