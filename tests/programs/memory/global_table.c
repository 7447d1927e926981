/* Constant global tables, a global that is not constant but inactive, and one that the function writes integers to. */
#include "check.h"

static const double nodes[5] = {-0.9061798459386640, -0.5384693101056831, 0, 0.5384693101056831, 0.9061798459386640};
static const double weights[5] = {0.2369268850561891, 0.4786286704993665, 0.5688888888888889, 0.4786286704993665,
                                  0.2369268850561891};
static double gain = 1.5;
static int calls;

static double quadrature(double a, double b) {
  double s = 0, middle = 0.5 * (a + b), half = 0.5 * (b - a);
  calls++;
  for (int i = 0; i < 5; i++) {
    double t = middle + half * nodes[i];
    s += weights[i] * exp(-t * t) * gain;
  }
  return s * half;
}

static double objective(const double *x) { return quadrature(x[0], x[1]); }
static void gradient(const double *x, double *g) {
  g[0] = __enzyme_autodiff((void *)quadrature, enzyme_out, x[0], enzyme_const, x[1]);
  g[1] = __enzyme_autodiff((void *)quadrature, enzyme_const, x[0], enzyme_out, x[1]);
}
static double tangent(const double *x, const double *v) {
  return __enzyme_fwddiff((void *)quadrature, enzyme_dup, x[0], v[0], enzyme_dup, x[1], v[1]);
}

int main(int count, char **arguments) {
  double x[2] = {-0.3, 0.9};
  (void)arguments;
  gain = 1.0 + count * 0.5;
  CHECK(objective, gradient, tangent, x);
  check_close("side effects happen once a call", 0, calls > 10, 1, 0);
  return check_done();
}
