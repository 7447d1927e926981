/* Read, write, read again: a value is used non-linearly, overwritten, used again, in one array and between two. */
#include "check.h"

#define N 4

static double chain(double *a, double *b, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) {
    double old = a[i];
    a[i] = old * old;
    b[i] = a[i] * old;
    a[i] = sin(b[i]) + old;
    s += a[i] * b[i];
    b[i] += a[(i + 1) % n];
  }
  for (int i = 0; i < n; i++) {
    double t = a[i] * b[n - 1 - i];
    a[i] = t;
    s += t * t;
  }
  return s;
}

static double objective(const double *x) {
  double u[2 * N], s;
  memcpy(u, x, sizeof u);
  s = chain(u, u + N, N);
  for (int i = 0; i < 2 * N; i++) s += u[i] * (i - 3);
  return s;
}
static void gradient(const double *x, double *g) {
  double u[2 * N];
  memcpy(u, x, sizeof u);
  for (int i = 0; i < 2 * N; i++) g[i] = i - 3;
  __enzyme_autodiff((void *)chain, enzyme_dup, u, g, enzyme_dup, u + N, g + N, N);
}
static double tangent(const double *x, const double *v) {
  double u[2 * N], du[2 * N], s;
  memcpy(u, x, sizeof u);
  memcpy(du, v, sizeof du);
  s = __enzyme_fwddiff((void *)chain, enzyme_dup, u, du, enzyme_dup, u + N, du + N, N);
  for (int i = 0; i < 2 * N; i++) s += du[i] * (i - 3);
  return s;
}

int main(void) {
  double x[2 * N] = {0.6, -0.45, 0.8, 0.5, 1.2, 0.4, -0.7, 0.3};
  CHECK(objective, gradient, tangent, x);
  /* The primal memory ends as the primal leaves it. */
  double u[2 * N], w[2 * N], d[2 * N] = {0};
  memcpy(u, x, sizeof u);
  memcpy(w, x, sizeof w);
  chain(w, w + N, N);
  (void)d;
  CHECK_ENGINE(__enzyme_autodiff((void *)chain, enzyme_dup, u, d, enzyme_dup, u + N, d + N, N));
  if (ENGINE)
    for (int i = 0; i < 2 * N; i++) check_close("primal memory", i, u[i], w[i], 1e-12);
  return check_done();
}
