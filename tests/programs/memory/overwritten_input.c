/* Inputs that are destroyed after their use: set to constants, to other inputs, conditionally, and through memory. */
#include "check.h"

#define N 5

static double destroy(double *x, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) {
    s += x[i] * x[i] * s + cos(x[i]);
    if (i % 2) x[i] = 0;
    else x[i] = x[0];
  }
  x[0] = s;
  x[1] = x[0] * x[2];
  s += x[1];
  x[2] = 3;
  return s * x[2];
}

static double objective(const double *x) {
  double u[N], s;
  memcpy(u, x, sizeof u);
  s = destroy(u, N);
  for (int i = 0; i < N; i++) s += u[i] * (i + 2);
  return s;
}
static void gradient(const double *x, double *g) {
  double u[N];
  memcpy(u, x, sizeof u);
  for (int i = 0; i < N; i++) g[i] = i + 2;
  __enzyme_autodiff((void *)destroy, enzyme_dup, u, g, N);
}
static double tangent(const double *x, const double *v) {
  double u[N], du[N], s;
  memcpy(u, x, sizeof u);
  memcpy(du, v, sizeof du);
  s = __enzyme_fwddiff((void *)destroy, enzyme_dup, u, du, N);
  for (int i = 0; i < N; i++) s += du[i] * (i + 2);
  return s;
}

int main(void) {
  double x[N] = {0.6, -0.45, 0.8, 0.5, 0.3};
  CHECK(objective, gradient, tangent, x);
  return check_done();
}
