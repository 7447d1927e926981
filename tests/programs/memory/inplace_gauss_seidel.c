/* Gauss-Seidel sweeps in place: every value read was or will be overwritten. */
#include "check.h"

#define N 7

static void sweeps(double *u, const double *f, int n, int rounds) {
  for (int r = 0; r < rounds; r++)
    for (int i = 1; i + 1 < n; i++) u[i] = 0.5 * (u[i - 1] + u[i + 1]) + 0.1 * f[i] * u[i] * u[i];
}

static double objective(const double *x) {
  double u[N], s = 0;
  memcpy(u, x, sizeof u);
  sweeps(u, x + N, N, 4);
  for (int i = 0; i < N; i++) s += u[i] * (i + 1);
  return s;
}
static void gradient(const double *x, double *g) {
  double u[N], du[N];
  memcpy(u, x, sizeof u);
  for (int i = 0; i < N; i++) du[i] = i + 1;
  __enzyme_autodiff((void *)sweeps, enzyme_dup, u, du, enzyme_dup, x + N, g + N, N, 4);
  for (int i = 0; i < N; i++) g[i] += du[i];
}
static double tangent(const double *x, const double *v) {
  double u[N], du[N], s = 0;
  memcpy(u, x, sizeof u);
  memcpy(du, v, sizeof du);
  __enzyme_fwddiff((void *)sweeps, enzyme_dup, u, du, enzyme_dup, x + N, v + N, N, 4);
  for (int i = 0; i < N; i++) s += du[i] * (i + 1);
  return s;
}

int main(void) {
  double x[2 * N] = {0.6, -0.45, 0.8, 0.5, 1.2, 0.02, 0.9, -0.4, 0.3, 1.1, -0.8, 0.7, 0.2, 0.5};
  CHECK(objective, gradient, tangent, x);
  return check_done();
}
