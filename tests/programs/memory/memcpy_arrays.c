/* memcpy of whole arrays, of parts, of changing length, into scratch and back. */
#include "check.h"

#define N 6

static double copies(double *x, int n) {
  double a[N], b[N] = {0};
  double s = 0;
  memcpy(a, x, n * sizeof(double));
  for (int i = 0; i < n; i++) x[i] *= a[(i + 1) % n];
  memcpy(b + 1, x + 2, (n - 3) * sizeof(double));
  memcpy(x, a + n / 2, (n / 2) * sizeof(double));
  for (int i = 0; i < n; i++) s += b[i] * x[i] + a[i];
  for (int k = 1; k < n; k++) {
    memcpy(b, a, k * sizeof(double));
    b[0] = s;
    for (int i = 0; i < k; i++) s += 0.05 * b[i] * b[k - 1 - i];
  }
  return s;
}

static double objective(const double *x) {
  double u[N], s;
  memcpy(u, x, sizeof u);
  s = copies(u, N);
  for (int i = 0; i < N; i++) s += u[i] * (i + 2);
  return s;
}
static void gradient(const double *x, double *g) {
  double u[N];
  memcpy(u, x, sizeof u);
  for (int i = 0; i < N; i++) g[i] = i + 2;
  __enzyme_autodiff((void *)copies, enzyme_dup, u, g, N);
}
static double tangent(const double *x, const double *v) {
  double u[N], du[N], s;
  memcpy(u, x, sizeof u);
  memcpy(du, v, sizeof du);
  s = __enzyme_fwddiff((void *)copies, enzyme_dup, u, du, N);
  for (int i = 0; i < N; i++) s += du[i] * (i + 2);
  return s;
}

int main(void) {
  double x[N] = {0.6, -0.45, 0.8, 0.5, 0.3, 1.1};
  CHECK(objective, gradient, tangent, x);
  return check_done();
}
