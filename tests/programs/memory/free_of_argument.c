/* The differentiated function frees what it was given: the block and its shadow are gone when the derivative is done. */
#include "check.h"

static double once(double *block, double x) {
  double s = 0;
  for (int i = 0; i < 3; i++) s += block[i] * x;
  free(block);
  return s * s;
}

static NOINLINE double middle(double *block, double x) { return once(block, x) * x; }

static double through(double *block, double x) {
  block[0] *= x;
  return middle(block, x) + x;
}

static void run(void) {
  for (int i = 0; i < 2; i++) {
    double *p = malloc(24), *d = calloc(3, 8);
    p[0] = 1, p[1] = 2, p[2] = 3;
    double dx = __enzyme_autodiff((void *)once, enzyme_dup, p, d, enzyme_out, 0.5);
    check_value("once", dx, 2 * 6 * 0.5 * 6, 1e-12);
    p = malloc(24), d = calloc(3, 8);
    p[0] = 1, p[1] = 2, p[2] = 3;
    dx = __enzyme_autodiff((void *)through, enzyme_dup, p, d, enzyme_out, 0.5);
    double x = 0.5, u = (x + 5) * x; /* u^2 x + x */
    check_value("through", dx, 2 * u * (2 * x + 5) * x + u * u + 1, 1e-12);
    p = malloc(24), d = malloc(24);
    for (int k = 0; k < 3; k++) p[k] = k + 1, d[k] = 0;
    dx = __enzyme_fwddiff((void *)through, enzyme_dup, p, d, enzyme_dup, 0.5, 1.0);
    check_value("forward", dx, 2 * u * (2 * x + 5) * x + u * u + 1, 1e-12);
  }
}

int main(void) {
  CHECK_ENGINE(run());
  return check_done();
}
