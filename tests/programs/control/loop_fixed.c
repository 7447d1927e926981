/* Constant trip counts that the optimiser unrolls, with scalars carried around. */
#include "check.h"

static double wave(double a, double b) {
  double p = a, q = b;
  for (int i = 0; i < 6; i++) {
    double t = p * 0.9 + sin(q);
    q = q * 0.8 - p * p * 0.1;
    p = t;
  }
  return p * q;
}

static double power8(const double *x) {
  double r = x[0];
  for (int i = 0; i < 3; i++) r *= r;
  return r + x[1];
}

static double wave_objective(const double *x) { return wave(x[0], x[1]); }
static void wave_gradient(const double *x, double *g) {
  g[0] = __enzyme_autodiff((void *)wave, enzyme_out, x[0], enzyme_const, x[1]);
  g[1] = __enzyme_autodiff((void *)wave, enzyme_const, x[0], enzyme_out, x[1]);
}
static double wave_tangent(const double *x, const double *v) {
  return __enzyme_fwddiff((void *)wave, enzyme_dup, x[0], v[0], enzyme_dup, x[1], v[1]);
}
static void power_gradient(const double *x, double *g) { __enzyme_autodiff((void *)power8, enzyme_dup, x, g); }
static double power_tangent(const double *x, const double *v) {
  return __enzyme_fwddiff((void *)power8, enzyme_dup, x, v);
}
static void power_closed(const double *x, double *g) {
  g[0] = 8 * pow(x[0], 7);
  g[1] = 1;
}

int main(void) {
  double x[2] = {0.7, -0.4}, y[2] = {1.1, 2.0};
  CHECK(wave_objective, wave_gradient, wave_tangent, x);
  CHECK_CLOSED(power8, power_gradient, power_closed, power_tangent, y);
  return check_done();
}
