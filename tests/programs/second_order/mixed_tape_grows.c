/* A tangent of a gradient whose tape grows, where some memory is found to be inactive only when the program runs. */
#include "check.h"

extern void __enzyme_fwddiff_of(void *, ...);
enum { N = 5 };

/* Newton's method takes as many steps as it needs. */
static double roots(const double *x, double *y) {
  double sum = 0;
  for (int i = 0; i < N; i++) {
    double r = 1, step = 1;
    while (fabs(step) > 1e-13) {
      step = (r * r * r - 2 - x[i] * x[i] * y[i]) / (3 * r * r);
      r -= step;
    }
    sum += r * x[(i + 1) % N];
    y[i] = y[i] * sum + x[i];
  }
  return sum * y[1];
}
static NOINLINE void slope(const double *x, double *dx, const double *y, double *dy) {
  double own[N], down[N];
  for (int i = 0; i < N; i++) own[i] = y[i], down[i] = dy[i];
  __enzyme_autodiff((void *)roots, enzyme_dup, x, dx, enzyme_dup, own, down);
  for (int i = 0; i < N; i++) dy[i] = down[i];
}

static double y[N] = {0.3, 0.7, 0.2, 0.5, 0.9};
static double objective(const double *x) {
  double dx[N] = {0}, dy[N] = {0.1, -0.2, 0.3, 0.4, -0.1}, s = 0;
#ifndef REFERENCE
  slope(x, dx, y, dy);
#else
  s = x[0];
#endif
  for (int i = 0; i < N; i++) s += (i + 1) * dx[i] + dy[i];
  return s;
}
static double tangent(const double *x, const double *v) {
  double dx[N] = {0}, t[N] = {0}, dy[N] = {0.1, -0.2, 0.3, 0.4, -0.1}, u[N] = {0}, s = 0;
  __enzyme_fwddiff_of((void *)slope, enzyme_dup, x, v, enzyme_dup, dx, t, enzyme_const, y, enzyme_dup, dy, u);
  for (int i = 0; i < N; i++) s += (i + 1) * t[i] + u[i];
  return s;
}

int main(void) {
  double x[N] = {0.5, 1.25, 0.75, 2, 1.5}, g[N];
  for (int i = 0; i < N; i++) {
    double v[N] = {0}, h = 1e-4, at = x[i];
    v[i] = 1;
    double got = ENGINE ? tangent(x, v) : 0, s[4];
    for (int k = 0; k < 4; k++) {
      x[i] = at + h * (k < 2 ? (k ? -1 : 1) : (k == 2 ? 2 : -2));
      s[k] = objective(x);
    }
    x[i] = at;
    g[i] = (8 * (s[0] - s[1]) - (s[2] - s[3])) / (12 * h);
    CHECK_ENGINE(check_close("second", i, got, g[i], 1e-7 * (1 + fabs(g[i]))));
  }
  return check_done();
}
