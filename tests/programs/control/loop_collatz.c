/* An integer recurrence decides how often and what is done. */
#include "check.h"

static double collatz(double x, long n) {
  double s = x;
  while (n != 1) {
    if (n % 2 == 0) {
      n /= 2;
      s = s * x + 0.1;
    } else {
      n = 3 * n + 1;
      s = cos(s) + x * 0.3;
    }
  }
  return s;
}

static double seven(const double *x) { return collatz(x[0], 7); }
static void seven_gradient(const double *x, double *g) { g[0] = __enzyme_autodiff((void *)collatz, x[0], 7L); }
static double seven_tangent(const double *x, const double *v) {
  return __enzyme_fwddiff((void *)collatz, enzyme_dup, x[0], v[0], enzyme_const, 7L);
}
static double one(const double *x) { return collatz(x[0], 1); }
static void one_gradient(const double *x, double *g) { g[0] = __enzyme_autodiff((void *)collatz, x[0], 1L); }

int main(void) {
  double x[1] = {0.83};
  CHECK(seven, seven_gradient, seven_tangent, x);
  CHECK(one, one_gradient, 0, x);
  return check_done();
}
