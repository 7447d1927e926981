/* Power iteration to a tolerance for the largest eigenvalue of a symmetric matrix; conjugate gradients beside it. */
#include "check.h"

#define N 3

static double eigenvalue(const double *a, int n) {
  double v[N] = {1, 1, 1}, w[N], value = 0, before;
  int rounds = 0;
  do {
    double norm = 0;
    for (int i = 0; i < n; i++) {
      w[i] = 0;
      for (int j = 0; j < n; j++) w[i] += 0.5 * (a[i * n + j] + a[j * n + i]) * v[j];
      norm += w[i] * w[i];
    }
    norm = sqrt(norm);
    for (int i = 0; i < n; i++) v[i] = w[i] / norm;
    before = value;
    value = norm;
  } while (fabs(value - before) > 1e-14 && ++rounds < 300);
  return value;
}
static double conjugate(const double *a, const double *b, int n) {
  double x[N] = {0}, r[N], p[N], q[N], rr = 0, s = 0;
  for (int i = 0; i < n; i++) rr += b[i] * b[i], r[i] = p[i] = b[i];
  for (int k = 0; k < n && rr > 1e-20; k++) {
    double pq = 0, next = 0;
    for (int i = 0; i < n; i++) {
      q[i] = 0;
      for (int j = 0; j < n; j++) q[i] += 0.5 * (a[i * n + j] + a[j * n + i]) * p[j];
      pq += p[i] * q[i];
    }
    double alpha = rr / pq;
    for (int i = 0; i < n; i++) {
      x[i] += alpha * p[i];
      r[i] -= alpha * q[i];
      next += r[i] * r[i];
    }
    for (int i = 0; i < n; i++) p[i] = r[i] + next / rr * p[i];
    rr = next;
  }
  for (int i = 0; i < n; i++) s += (i + 1) * x[i];
  return s;
}

static double eigen_objective(const double *x) { return eigenvalue(x, N); }
static void eigen_gradient(const double *x, double *g) { __enzyme_autodiff((void *)eigenvalue, x, g, N); }
static double eigen_tangent(const double *x, const double *v) {
  return __enzyme_fwddiff((void *)eigenvalue, enzyme_dup, x, v, N);
}
static double conjugate_objective(const double *x) { return conjugate(x, x + N * N, N); }
static void conjugate_gradient(const double *x, double *g) {
  __enzyme_autodiff((void *)conjugate, enzyme_dup, x, g, enzyme_dup, x + N * N, g + N * N, N);
}
static double conjugate_tangent(const double *x, const double *v) {
  return __enzyme_fwddiff((void *)conjugate, enzyme_dup, x, v, enzyme_dup, x + N * N, v + N * N, N);
}

int main(void) {
  double x[N * N + N] = {4.0, 0.3, 0.5, 0.1, 2.0, 0.2, 0.7, -0.4, 1.0, 1.0, -0.5, 0.8};
  check_gradient("eigen", eigen_objective, CHECK_REVERSE(eigen_gradient), 0, CHECK_FORWARD(eigen_tangent), x, N * N, 1e-6,
                 1e-9);
  CHECK(conjugate_objective, conjugate_gradient, conjugate_tangent, x);
  return check_done();
}
