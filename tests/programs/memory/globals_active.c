/* Global variables that carry active data through functions: scalars, arrays, structs, static locals, pointers to them,
 * a constant table of pointers to globals, and globals that are read before they are written. */
#include "check.h"

double state;
double history[8];
static struct {
  double sum, last;
  int count;
} meter;
static double left, right;
static double *const sides[2] = {&left, &right};
double gain = 2.0;

static NOINLINE void record(double v) {
  history[meter.count & 7] = v * gain;
  meter.sum += v * state;
  meter.last = v;
  meter.count++;
}
static NOINLINE double running(double v) {
  static double total;
  if (meter.count == 0) total = 0.5;
  total = total * v + 1;
  return total;
}
static NOINLINE double f(const double *x, int n) {
  state = x[0] * x[1];
  meter.sum = 1;
  meter.count = 0;
  double r = running(x[0]);
  for (int i = 0; i < n; i++) {
    record(x[i]);
    state = state * 0.5 + x[i] * x[i];
    *sides[i & 1] = x[i] * state;
    r += *sides[(i + 1) & 1] * (i > 0);
    r += running(x[i]);
  }
  for (int i = 1; i < n; i++) r += history[i] * history[i - 1];
  return r + meter.sum * meter.last + state * left * right;
}
static double objective(const double *x) { return f(x, 5); }

/* What a global holds before does not depend on the inputs. */
static NOINLINE double before(const double *x) {
  double r = state * x[0];
  state = x[1];
  return r + state * x[0];
}
static double objective_before(const double *x) {
  state = 3;
  return before(x);
}

static void reverse(const double *x, double *g) { __enzyme_autodiff((void *)f, enzyme_dup, x, g, 5); }
static double forward(const double *x, const double *v) { return __enzyme_fwddiff((void *)f, enzyme_dup, x, v, 5); }
static void reverse_before(const double *x, double *g) {
  state = 3;
  __enzyme_autodiff((void *)before, enzyme_dup, x, g);
}
static double forward_before(const double *x, const double *v) {
  state = 3;
  return __enzyme_fwddiff((void *)before, enzyme_dup, x, v);
}

int main(void) {
  double x[5] = {0.3, -0.7, 1.2, 0.4, 0.9};
  CHECK(objective, reverse, forward, x);
  CHECK(objective_before, reverse_before, forward_before, x);
  CHECK(objective, reverse, forward, x);
  return check_done();
}
