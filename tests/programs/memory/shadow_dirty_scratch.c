/* What lies in freshly allocated memory must not matter: the heap is filled with garbage, then scratch is allocated
 * and only partly written before it is read. */
#include "check.h"

static double partial(const double *x, int n) {
  double *t = malloc(64 * sizeof(double));
  double u[32], s = 0;
  for (int i = 0; i < n; i++) t[3 * i] = x[i] * x[i];
  for (int i = 0; i < n; i++) u[2 * i + 1] = t[3 * i] * x[n - 1 - i];
  for (int i = 0; i < n; i++) s += u[2 * i + 1] * u[1];
  free(t);
  return s;
}

static NOINLINE void dirty(void) {
  double *blocks[6];
  volatile double stack[400];
  for (int i = 0; i < 400; i++) stack[i] = 1e30 + i;
  for (int k = 0; k < 6; k++) {
    blocks[k] = malloc(64 * sizeof(double));
    for (int i = 0; i < 64; i++) blocks[k][i] = i % 2 ? NAN : 1e30;
  }
  for (int k = 0; k < 6; k++) free(blocks[k]);
}

static double objective(const double *x) { return partial(x, 5); }
static void gradient(const double *x, double *g) {
  dirty();
  __enzyme_autodiff((void *)partial, x, g, 5);
}
static double tangent(const double *x, const double *v) {
  dirty();
  return __enzyme_fwddiff((void *)partial, enzyme_dup, x, v, 5);
}

int main(void) {
  double x[5] = {0.6, -0.45, 0.8, 0.5, 1.2};
  CHECK(objective, gradient, tangent, x);
  return check_done();
}
