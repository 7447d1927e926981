/* A table of functions indexed at run time, a constant one and one that is filled in. */
#include "check.h"

typedef double (*unary)(double);

static NOINLINE double square(double x) { return x * x; }
static NOINLINE double cube(double x) { return x * x * x; }
static NOINLINE double shifted(double x) { return sin(x) + 2 * x; }

static const unary fixed[3] = {square, cube, shifted};
unary filled[4];

static NOINLINE double table_sum(const double *x, const int *which, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) s += fixed[which[i]](x[i]) * (i + 1);
  return s;
}

static NOINLINE double filled_sum(const double *x, const int *which, int n) {
  double s = 1;
  for (int i = 0; i < n; i++) s = s * 0.5 + filled[which[i] + 1](x[i] + 0.1 * s);
  return s;
}

static int order[6] = {0, 1, 2, 2, 1, 0};

static double objective(const double *x) { return table_sum(x, order, 6) * filled_sum(x, order, 6); }

static NOINLINE double both(const double *x, const int *which, int n) {
  return table_sum(x, which, n) * filled_sum(x, which, n);
}

static void reverse(const double *x, double *g) {
  __enzyme_autodiff((void *)both, enzyme_dup, x, g, enzyme_const, order, enzyme_const, 6);
}
static double forward(const double *x, const double *v) {
  return __enzyme_fwddiff((void *)both, enzyme_dup, x, v, enzyme_const, order, enzyme_const, 6);
}

int main(void) {
  double x[6] = {0.3, -0.7, 1.2, 0.4, 0.9, -1.1};
  filled[0] = 0;
  filled[1] = cube;
  filled[2] = shifted;
  filled[3] = square;
  CHECK(objective, reverse, forward, x);
  return check_done();
}
