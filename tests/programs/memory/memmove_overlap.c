/* memmove with overlap in both directions, and a queue that is shifted by it. */
#include "check.h"

#define N 7

static double queue(const double *x, int n) {
  double q[4] = {1, 0.5, 0.25, 0.125}, s = 0;
  for (int i = 0; i < n; i++) {
    s += q[0] * x[i];
    memmove(q, q + 1, 3 * sizeof(double));
    q[3] = sin(s) * x[i];
  }
  double w[N];
  for (int i = 0; i < n; i++) w[i] = x[i] * x[i];
  memmove(w + 2, w, (n - 2) * sizeof(double));
  for (int i = 0; i < n; i++) s += w[i] * q[i % 4];
  return s;
}

static double objective(const double *x) { return queue(x, N); }
static void gradient(const double *x, double *g) { __enzyme_autodiff((void *)queue, x, g, N); }
static double tangent(const double *x, const double *v) {
  return __enzyme_fwddiff((void *)queue, enzyme_dup, x, v, N);
}

int main(void) {
  double x[N] = {0.6, -0.45, 0.8, 0.5, 0.3, 1.1, -0.2};
  CHECK(objective, gradient, tangent, x);
  return check_done();
}
