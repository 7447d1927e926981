/* Runge-Kutta 4 over a small system through a function that writes its result, with stack stages. */
#include "check.h"

#define D 3

static NOINLINE void field(const double *u, const double *p, double *du) {
  du[0] = p[0] * (u[1] - u[0]);
  du[1] = u[0] * (p[1] - u[2]) - u[1];
  du[2] = u[0] * u[1] - p[2] * u[2];
}

static void rk4(double *u, const double *p, double h, int steps) {
  double k1[D], k2[D], k3[D], k4[D], t[D];
  for (int s = 0; s < steps; s++) {
    field(u, p, k1);
    for (int i = 0; i < D; i++) t[i] = u[i] + 0.5 * h * k1[i];
    field(t, p, k2);
    for (int i = 0; i < D; i++) t[i] = u[i] + 0.5 * h * k2[i];
    field(t, p, k3);
    for (int i = 0; i < D; i++) t[i] = u[i] + h * k3[i];
    field(t, p, k4);
    for (int i = 0; i < D; i++) u[i] += h / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]);
  }
}

static double objective(const double *x) {
  double u[D];
  memcpy(u, x, sizeof u);
  rk4(u, x + D, x[2 * D], 12);
  return u[0] + 2 * u[1] - u[2];
}
static void gradient(const double *x, double *g) {
  double u[D];
  memcpy(u, x, sizeof u);
  g[0] = 1;
  g[1] = 2;
  g[2] = -1;
  g[2 * D] = __enzyme_autodiff((void *)rk4, enzyme_dup, u, g, enzyme_dup, x + D, g + D, enzyme_out, x[2 * D], 12);
}
static double tangent(const double *x, const double *v) {
  double u[D], d[D];
  memcpy(u, x, sizeof u);
  memcpy(d, v, sizeof d);
  __enzyme_fwddiff((void *)rk4, enzyme_dup, u, d, enzyme_dup, x + D, v + D, enzyme_dup, x[2 * D], v[2 * D], 12);
  return d[0] + 2 * d[1] - d[2];
}

int main(void) {
  double x[2 * D + 1] = {0.8, 0.4, 1.2, 4.0, 5.0, 2.0, 0.02};
  CHECK(objective, gradient, tangent, x);
  return check_done();
}
