/* Code that becomes selects: conditional expressions, clamps, running maxima, conditional scaling. */
#include "check.h"

static double clamp(double x, double low, double high) { return x < low ? low : x > high ? high : x; }

static double selects(const double *x, int n) {
  double best = x[0], second = -1e9, s = 0;
  int where = 0;
  for (int i = 1; i < n; i++) {
    second = x[i] > best ? best : x[i] > second ? x[i] : second;
    where = x[i] > best ? i : where;
    best = x[i] > best ? x[i] : best;
    s += (i & 1 ? x[i] : -x[i]) * (x[i] > 0 ? x[i] : 0.5 * x[i]);
    s += clamp(x[i] * 2, -1, 1);
  }
  double sign = where > 2 ? -1.0 : 1.0;
  return best * best + second * s + sign * x[where];
}

static double relu3(double x) {
  double r = x > 0 ? x : 0;
  return r * r * r;
}

static double objective(const double *x) { return selects(x, 6); }
static void gradient(const double *x, double *g) { __enzyme_autodiff((void *)selects, x, g, 6); }
static double tangent(const double *x, const double *v) {
  return __enzyme_fwddiff((void *)selects, enzyme_dup, x, v, 6);
}
static double relu3_objective(const double *x) { return relu3(x[0]); }
static void relu3_gradient(const double *x, double *g) { g[0] = __enzyme_autodiff((void *)relu3, x[0]); }
static double relu3_tangent(const double *x, const double *v) {
  return __enzyme_fwddiff((void *)relu3, enzyme_dup, x[0], v[0]);
}
static void relu3_closed(const double *x, double *g) { g[0] = x[0] > 0 ? 3 * x[0] * x[0] : 0; }

int main(void) {
  double x[6] = {0.3, 0.8, -0.2, 0.75, -0.9, 0.1}, y[6] = {0.3, -0.8, -0.2, 0.15, 1.9, 0.12}, a[1] = {1.7}, b[1] = {-0.6};
  CHECK(objective, gradient, tangent, x);
  CHECK(objective, gradient, tangent, y);
  CHECK_CLOSED(relu3_objective, relu3_gradient, relu3_closed, relu3_tangent, a);
  CHECK_CLOSED(relu3_objective, relu3_gradient, relu3_closed, relu3_tangent, b);
  return check_done();
}
