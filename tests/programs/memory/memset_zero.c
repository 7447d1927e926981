/* memset clears values that were active, whole and in part, and again in every iteration. */
#include "check.h"

#define N 6

static double clears(double *x, int n) {
  double t[N], s = 0;
  for (int k = 0; k < 3; k++) {
    memset(t, 0, sizeof t);
    for (int i = 0; i < n; i++) t[(i * (k + 1)) % n] += x[i] * x[i];
    for (int i = 0; i < n; i++) s += t[i] * t[i] * (k + i);
  }
  memset(x + 1, 0, 2 * sizeof(double));
  for (int i = 0; i < n; i++) s += x[i];
  return s;
}

static double objective(const double *x) {
  double u[N], s;
  memcpy(u, x, sizeof u);
  s = clears(u, N);
  for (int i = 0; i < N; i++) s += u[i] * u[i];
  return s;
}
static void gradient(const double *x, double *g) {
  double u[N];
  for (int i = 0; i < N; i++) {
    u[i] = x[i];
    g[i] = i == 1 || i == 2 ? 0.0 : 2 * x[i];
  }
  __enzyme_autodiff((void *)clears, enzyme_dup, u, g, N);
}
static double tangent(const double *x, const double *v) {
  double u[N], du[N], s;
  memcpy(u, x, sizeof u);
  memcpy(du, v, sizeof du);
  s = __enzyme_fwddiff((void *)clears, enzyme_dup, u, du, N);
  for (int i = 0; i < N; i++) s += 2 * u[i] * du[i];
  return s;
}

int main(void) {
  double x[N] = {0.6, -0.45, 0.8, 0.5, 0.3, 1.1};
  CHECK(objective, gradient, tangent, x);
  return check_done();
}
