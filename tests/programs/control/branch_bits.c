// engine: --enzyme-bits
/* Decisions that loops keep as bits: of each iteration and of some, in nests, in calls, and whose number is no multiple
 * of eight. */
#include "check.h"

#define N 19

static double selects(const double *x) {
  double s = 0.2, y[N];
  for (int i = 0; i < N; i++) y[i] = x[i];
  for (int k = 0; k < 3; k++)
    for (int i = 0; i < N; i++) {
      double z = y[i] * y[(i + 1) % N] + 0.1 * y[i];
      y[i] = z > 0.05 ? z : -0.3 * z;
    }
  for (int i = 0; i < N; i++) s += y[i] * y[i];
  return s;
}

static double ways(const double *x, int n) { /* one decision in each iteration, one in some, which skip bits */
  double s = 0.3, y[N];
  for (int i = 0; i < n; i++) {
    y[i] = x[i] * s + 0.01 * i;
    if (y[i] > 0.1) {
      s = s * 0.7 + sin(y[i]);
      if (s * y[i] > 0.3) s -= 0.25 * y[i] * y[i];
    } else {
      s = s * 0.9 + x[i] * x[i];
    }
    y[i] *= s;
  }
  return s;
}

static NOINLINE double part(double *y, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) {
    double z = y[i] * 1.1 + s;
    if (z > 0.23) {
      s += z * z * 0.1;
      y[i] = z * 0.5;
    } else
      y[i] = sin(z);
  }
  return s;
}

static double calls(const double *x, int n) {
  double s = 0, y[N];
  for (int i = 0; i < n; i++) y[i] = x[i];
  for (int k = 0; k < 3; k++) s = s * 0.5 + part(y, n - k);
  for (int i = 0; i < n; i++) s += y[i];
  return s;
}

static double ways_objective(const double *x) { return ways(x, N); }
static void ways_gradient(const double *x, double *g) { __enzyme_autodiff((void *)ways, x, g, N); }
static double ways_tangent(const double *x, const double *v) {
  return __enzyme_fwddiff((void *)ways, enzyme_dup, x, v, enzyme_const, N);
}
static double calls_objective(const double *x) { return calls(x, N); }
static void calls_gradient(const double *x, double *g) { __enzyme_autodiff((void *)calls, x, g, N); }
static double calls_tangent(const double *x, const double *v) {
  return __enzyme_fwddiff((void *)calls, enzyme_dup, x, v, enzyme_const, N);
}
DERIVED(selects)

int main(void) {
  double x[N];
  for (int i = 0; i < N; i++) x[i] = 0.9 * sin(3.1 * i + 0.4);
  CHECK_DERIVED(selects, x);
  CHECK(ways_objective, ways_gradient, ways_tangent, x);
  CHECK(calls_objective, calls_gradient, calls_tangent, x);
  return check_done();
}
