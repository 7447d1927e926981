/* A sorting network of compare-and-exchange in place, with min/max and with branches; a bubble sort; order statistics. */
#include "check.h"

#define N 5

static void exchange(double *a, double *b) {
  double low = fmin(*a, *b), high = fmax(*a, *b);
  *a = low;
  *b = high;
}
static void exchange_branch(double *a, double *b) {
  if (*a > *b) {
    double t = *a;
    *a = *b;
    *b = t;
  }
}
static double network(double *x) {
  exchange(x, x + 1);
  exchange(x + 3, x + 4);
  exchange_branch(x + 2, x + 4);
  exchange(x + 2, x + 3);
  exchange_branch(x + 1, x + 4);
  exchange(x, x + 3);
  exchange(x, x + 2);
  exchange_branch(x + 1, x + 3);
  exchange(x + 1, x + 2);
  double s = 0;
  for (int i = 0; i < N; i++) s += (i + 1) * (i + 1) * x[i] * x[i];
  return s;
}
static double bubble(double *x) {
  int again = 1;
  while (again) {
    again = 0;
    for (int i = 0; i + 1 < N; i++)
      if (x[i] > x[i + 1]) {
        double t = x[i];
        x[i] = x[i + 1];
        x[i + 1] = t;
        again = 1;
      }
  }
  double s = 0;
  for (int i = 0; i < N; i++) s += (i + 1) * (i + 1) * x[i] * x[i];
  return s;
}
/* The gradient is 2 rank^2 x. */
static void closed(const double *x, double *g) {
  for (int i = 0; i < N; i++) {
    int rank = 1;
    for (int j = 0; j < N; j++) rank += x[j] < x[i];
    g[i] = 2 * rank * rank * x[i];
  }
}

#define CASE(fn)                                                 \
  static double fn##_objective(const double *x) {                \
    double u[N];                                                 \
    memcpy(u, x, sizeof u);                                      \
    return fn(u);                                                \
  }                                                              \
  static void fn##_gradient(const double *x, double *g) {        \
    double u[N];                                                 \
    memcpy(u, x, sizeof u);                                      \
    __enzyme_autodiff((void *)fn, enzyme_dup, u, g);             \
  }                                                              \
  static double fn##_tangent(const double *x, const double *v) { \
    double u[N], d[N];                                           \
    memcpy(u, x, sizeof u);                                      \
    memcpy(d, v, sizeof d);                                      \
    return __enzyme_fwddiff((void *)fn, enzyme_dup, u, d);       \
  }
CASE(network)
CASE(bubble)

int main(void) {
  double x[N] = {0.3, 2.4, -1.0, 1.7, 0.9}, y[N] = {5, 4, 3, 2, 1};
  CHECK_CLOSED(network_objective, network_gradient, closed, network_tangent, x);
  CHECK_CLOSED(network_objective, network_gradient, closed, network_tangent, y);
  CHECK_CLOSED(bubble_objective, bubble_gradient, closed, bubble_tangent, x);
  CHECK_CLOSED(bubble_objective, bubble_gradient, closed, bubble_tangent, y);
  return check_done();
}
