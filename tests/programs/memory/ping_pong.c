/* Two buffers exchanged by pointer every step: an explicit heat equation. */
#include "check.h"

#define N 6

static double heat(const double *start, double k, int n, int steps) {
  double first[N], second[N], *now = first, *then = second;
  for (int i = 0; i < n; i++) now[i] = start[i];
  for (int t = 0; t < steps; t++) {
    then[0] = now[0];
    then[n - 1] = now[n - 1];
    for (int i = 1; i + 1 < n; i++) then[i] = now[i] + k * (now[i - 1] - 2 * now[i] + now[i + 1]) + 0.05 * now[i] * now[i];
    double *swap = now;
    now = then;
    then = swap;
  }
  double s = 0;
  for (int i = 0; i < n; i++) s += now[i] * now[i] * (i + 1);
  return s;
}

static double objective(const double *x) { return heat(x, x[N], N, 5); }
static void gradient(const double *x, double *g) {
  g[N] = __enzyme_autodiff((void *)heat, enzyme_dup, x, g, enzyme_out, x[N], N, 5);
}
static double tangent(const double *x, const double *v) {
  return __enzyme_fwddiff((void *)heat, enzyme_dup, x, v, enzyme_dup, x[N], v[N], N, 5);
}

int main(void) {
  double x[N + 1] = {0.6, -0.45, 0.8, 0.5, -1.2, 0.3, 0.2};
  CHECK(objective, gradient, tangent, x);
  return check_done();
}
