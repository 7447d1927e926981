/* Second derivatives, and several lanes, through loops whose iterations run again in the reverse sweep. */
#include "check.h"

#define M 6

extern int enzyme_width, enzyme_dupv;

static int rounds = 5;

static double energy(const double *__restrict x, double *__restrict work, int n) {
  double sum = 0;
  for (int p = 0; p < n; p++) {
    for (int i = 0; i < M; i++) work[i] = x[i] * x[(i + p) % M];
    for (int i = 0; i < M; i++) sum += exp(0.1 * work[i]) * work[i];
  }
  return sum;
}
__attribute__((annotate("enzyme_loops=recompute"))) static double total(const double *x) {
  double *work = malloc(sizeof(double) * M);
  double result = energy(x, work, rounds);
  free(work);
  return result;
}
static void total_gradient(const double *x, double *g) { __enzyme_autodiff((void *)total, enzyme_dup, x, g); }
static double total_tangent(const double *x, const double *v) {
  return __enzyme_fwddiff((void *)total, enzyme_dup, x, v);
}

/* The gradient in a direction, once more by reverse mode and by forward mode. */
static double along(const double *x) {
  double g[M] = {0}, sum = 0;
#if ENGINE
  __enzyme_autodiff((void *)total, enzyme_dup, x, g);
#else
  double y[M], h = 1e-3;
  for (int i = 0; i < M; i++) {
    double at[4];
    for (int k = 0; k < 4; k++) {
      memcpy(y, x, sizeof y);
      y[i] += h * (k == 0 ? -2 : k == 1 ? -1 : k == 2 ? 1 : 2);
      at[k] = total(y);
    }
    g[i] = (at[0] - 8 * at[1] + 8 * at[2] - at[3]) / (12 * h);
  }
#endif
  for (int i = 0; i < M; i++) sum += (i + 1) * g[i];
  return sum;
}
static void along_gradient(const double *x, double *g) { __enzyme_autodiff((void *)along, enzyme_dup, x, g); }
static double along_tangent(const double *x, const double *v) {
  return __enzyme_fwddiff((void *)along, enzyme_dup, x, v);
}

int main(void) {
  double x[M] = {0.6, -0.45, 0.8, 0.5, 0.3, -0.7};
  CHECK(total, total_gradient, total_tangent, x);
#if ENGINE
  CHECK(along, along_gradient, along_tangent, x);
  double g[M] = {0}, two[2][M] = {{0}, {0}};
  total_gradient(x, g);
  __enzyme_autodiff((void *)total, enzyme_width, 2, enzyme_dup, x, two[0], two[1]);
  for (int i = 0; i < M; i++) check_value("lane 0", two[0][i], g[i], 1e-13), check_value("lane 1", two[1][i], g[i], 1e-13);
#endif
  return check_done();
}
