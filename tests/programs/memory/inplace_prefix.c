/* Prefix sums and prefix products in place, forward, backward, and both. */
#include "check.h"

#define N 6

static void prefix(double *a, int n) {
  for (int i = 1; i < n; i++) a[i] += a[i - 1];
}
static void products(double *a, int n) {
  for (int i = 1; i < n; i++) a[i] = a[i] * a[i - 1];
}
static void backward(double *a, int n) {
  for (int i = n - 2; i >= 0; i--) a[i] = a[i] * a[i + 1] + sin(a[i]);
}
static void all(double *a, int n) {
  prefix(a, n);
  products(a, n);
  backward(a, n);
  prefix(a, n);
}

#define CASE(fn)                                                  \
  static double fn##_objective(const double *x) {                 \
    double u[N], s = 0;                                           \
    memcpy(u, x, sizeof u);                                       \
    fn(u, N);                                                     \
    for (int i = 0; i < N; i++) s += u[i] * (1 + 0.3 * i * i);    \
    return s;                                                     \
  }                                                               \
  static void fn##_gradient(const double *x, double *g) {         \
    double u[N];                                                  \
    memcpy(u, x, sizeof u);                                       \
    for (int i = 0; i < N; i++) g[i] = 1 + 0.3 * i * i;           \
    __enzyme_autodiff((void *)fn, enzyme_dup, u, g, N);           \
  }                                                               \
  static double fn##_tangent(const double *x, const double *v) {  \
    double u[N], du[N], s = 0;                                    \
    memcpy(u, x, sizeof u);                                       \
    memcpy(du, v, sizeof du);                                     \
    __enzyme_fwddiff((void *)fn, enzyme_dup, u, du, N);           \
    for (int i = 0; i < N; i++) s += du[i] * (1 + 0.3 * i * i);   \
    return s;                                                     \
  }

CASE(prefix)
CASE(products)
CASE(backward)
CASE(all)

int main(void) {
  double x[N] = {0.6, -0.45, 0.8, 0.5, 1.2, 0.4};
  CHECK(prefix_objective, prefix_gradient, prefix_tangent, x);
  CHECK(products_objective, products_gradient, products_tangent, x);
  CHECK(backward_objective, backward_gradient, backward_tangent, x);
  CHECK(all_objective, all_gradient, all_tangent, x);
  return check_done();
}
