/* Newton's method with conjugate gradients on Hessian-vector products, and the derivative of where it ends. */
#include "second.h"
#define N 3

struct data {
  double target[N];
};
static double loss(const double *w, const struct data *d) {
  double s = 0;
  for (int i = 0; i < N; i++) {
    double r = w[i] * w[i] * 0.5 + w[i] - d->target[i] + 0.2 * w[(i + 1) % N];
    s += r * r + 0.05 * w[i] * w[i];
  }
  return s;
}
#ifdef REFERENCE
static double residual(const double *w, const struct data *d, int i) {
  return w[i] * w[i] * 0.5 + w[i] - d->target[i] + 0.2 * w[(i + 1) % N];
}
static void gradient(const double *w, double *g, const struct data *d) {
  for (int i = 0; i < N; i++) {
    double r = residual(w, d, i);
    g[i] += 2 * r * (w[i] + 1) + 0.1 * w[i];
    g[(i + 1) % N] += 0.4 * r;
  }
}
static void product(const double *w, const double *v, double *hv, const struct data *d) {
  for (int i = 0; i < N; i++) {
    double r = residual(w, d, i), dr = v[i] * (w[i] + 1) + 0.2 * v[(i + 1) % N];
    hv[i] += 2 * dr * (w[i] + 1) + 2 * r * v[i] + 0.1 * v[i];
    hv[(i + 1) % N] += 0.4 * dr;
  }
}
#else
static void gradient(const double *w, double *g, const struct data *d) {
  __enzyme_autodiff((void *)loss, enzyme_dup, w, g, enzyme_const, d);
}
static void product(const double *w, const double *v, double *hv, const struct data *d) {
  double g[N] = {0};
  __enzyme_fwddiff((void *)gradient, enzyme_dup, w, v, enzyme_dup, g, hv, enzyme_const, d);
}
#endif
static double solve(const double *x) { /* the targets; a fixed number of steps, so that it is smooth */
  struct data d;
  double w[N] = {0.3, 0.3, 0.3};
  memcpy(d.target, x, sizeof d.target);
  for (int step = 0; step < 4; step++) {
    double r[N] = {0}, p[N], z[N] = {0}, rr = 0;
    gradient(w, r, &d);
    for (int i = 0; i < N; i++) {
      r[i] = -r[i];
      p[i] = r[i];
      rr += r[i] * r[i];
    }
    for (int k = 0; k < 2; k++) {
      double hp[N] = {0}, php = 0, next = 0;
      product(w, p, hp, &d);
      for (int i = 0; i < N; i++) php += p[i] * hp[i];
      for (int i = 0; i < N; i++) {
        z[i] += rr / php * p[i];
        r[i] -= rr / php * hp[i];
        next += r[i] * r[i];
      }
      for (int i = 0; i < N; i++) p[i] = r[i] + next / rr * p[i];
      rr = next;
    }
    for (int i = 0; i < N; i++) w[i] += 0.8 * z[i];
  }
  return w[0] * w[1] + w[2];
}
DERIVED(solve)

int main(void) {
  double x[N] = {0.9, 1.4, 0.5};
  CHECK_DERIVED(solve, x);
  return check_done();
}
