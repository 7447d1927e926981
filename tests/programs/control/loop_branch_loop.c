/* Loops in branches in loops. */
#include "check.h"

static double weave(const double *x, int n, int mode) {
  double s = 0;
  for (int i = 0; i < n; i++) {
    if ((i + mode) % 3 == 0) {
      double p = 1;
      for (int j = 0; j < i; j++) p *= 1 + 0.3 * x[j];
      s += p;
    } else if (x[i] > 0.35) {
      double q = x[i];
      for (int j = 0; j < 3; j++) {
        if (q > 0.5)
          for (int k = 0; k < mode; k++) q = sin(q + 0.1);
        else
          q = q * q + 0.4;
      }
      s += q * s + q;
    } else {
      s -= x[i] * x[i];
    }
  }
  return s;
}

static double first(const double *x) { return weave(x, 7, 1); }
static void first_gradient(const double *x, double *g) { __enzyme_autodiff((void *)weave, x, g, 7, 1); }
static double first_tangent(const double *x, const double *v) {
  return __enzyme_fwddiff((void *)weave, enzyme_dup, x, v, 7, 1);
}
static double second(const double *x) { return weave(x, 7, 4); }
static void second_gradient(const double *x, double *g) { __enzyme_autodiff((void *)weave, x, g, 7, 4); }
static double second_tangent(const double *x, const double *v) {
  return __enzyme_fwddiff((void *)weave, enzyme_dup, x, v, 7, 4);
}

int main(void) {
  double x[7] = {0.3, 0.8, -0.2, 0.6, 0.45, -0.7, 1.4};
  CHECK(first, first_gradient, first_tangent, x);
  CHECK(second, second_gradient, second_tangent, x);
  return check_done();
}
