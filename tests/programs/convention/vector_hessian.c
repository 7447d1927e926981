/* A whole Hessian at once: as many lanes forward over a gradient in reverse mode. */
#include "check.h"
extern int enzyme_width;
extern void __enzyme_fwddiff_void(void *, ...);

static double f(const double *x) {
  double s = 1;
  for (int i = 0; i < 3; i++) s *= x[i] + 0.1 * s * x[(i + 1) % 3];
  return s;
}
static void gradient(const double *x, double *g) {
  for (int i = 0; i < 3; i++) g[i] = 0;
  __enzyme_autodiff((void *)f, enzyme_dup, x, g);
}
static void check_all(void) {
  double x[3] = {0.7, 1.2, 0.4}, v[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, g[3], h[3][3];
  __enzyme_fwddiff_void((void *)gradient, enzyme_width, 3, enzyme_dup, x, v[0], v[1], v[2], enzyme_dup, g, h[0], h[1], h[2]);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      double step = 1e-5, plus[3], minus[3], a[3], b[3];
      memcpy(plus, x, sizeof x);
      memcpy(minus, x, sizeof x);
      plus[i] += step;
      minus[i] -= step;
      gradient(plus, a);
      gradient(minus, b);
      check_value("hessian", h[i][j], (a[j] - b[j]) / (2 * step), 1e-6);
      check_value("symmetry", h[i][j], h[j][i], 1e-12);
    }
}

int main(void) {
  CHECK_ENGINE(check_all());
  return check_done();
}
