/* Adaptive Simpson quadrature: recursion whose depth depends on the data, integrand behind a call. */
#include "check.h"

static NOINLINE double integrand(double t, double a) { return exp(-a * t * t) * cos(3 * t) + a; }

static double simpson(double low, double high, double fl, double fm, double fh, double a, double whole, int depth) {
  double middle = 0.5 * (low + high), lm = 0.5 * (low + middle), mh = 0.5 * (middle + high);
  double flm = integrand(lm, a), fmh = integrand(mh, a);
  double left = (middle - low) / 6 * (fl + 4 * flm + fm), right = (high - middle) / 6 * (fm + 4 * fmh + fh);
  if (depth <= 0 || fabs(left + right - whole) < 1e-4) return left + right;
  return simpson(low, middle, fl, flm, fm, a, left, depth - 1) + simpson(middle, high, fm, fmh, fh, a, right, depth - 1);
}
static double integral(double low, double high, double a) {
  double fl = integrand(low, a), fm = integrand(0.5 * (low + high), a), fh = integrand(high, a);
  return simpson(low, high, fl, fm, fh, a, (high - low) / 6 * (fl + 4 * fm + fh), 6);
}

static double objective(const double *x) { return integral(x[0], x[1], x[2]); }
static void gradient(const double *x, double *g) {
  struct three { double a, b, c; };
  extern struct three __enzyme_autodiff_three(void *, double, double, double);
  struct three d = __enzyme_autodiff_three((void *)integral, x[0], x[1], x[2]);
  g[0] = d.a, g[1] = d.b, g[2] = d.c;
}
static double tangent(const double *x, const double *v) {
  return __enzyme_fwddiff((void *)integral, enzyme_dup, x[0], v[0], enzyme_dup, x[1], v[1], enzyme_dup, x[2], v[2]);
}

int main(void) {
  double x[3] = {-0.4, 1.9, 0.8};
  CHECK(objective, gradient, tangent, x);
  return check_done();
}
