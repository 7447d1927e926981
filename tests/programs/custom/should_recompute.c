/* Hints that change nothing but cost: functions to be computed again, functions that free nothing. */
#include "check.h"

static int calls;
static NOINLINE double basis(double t, int k) { return t * t * k + 1 / (1.0 + k * k); }
static NOINLINE void touch(double *x, int n) {
  for (int i = 0; i < n; i++) x[i] = x[i] * x[i];
}
#ifndef REFERENCE
void *__enzyme_shouldrecompute_basis[] = {(void *)basis};
void *__enzyme_nofree_touch = (void *)touch;
#endif

static double f(const double *x, int n) {
  double y[4], s = 0;
  for (int i = 0; i < n; i++) y[i] = x[i];
  touch(y, n);
  for (int i = 0; i < n; i++)
    for (int k = 0; k < 3; k++) s += exp(y[i] * basis(0.5, k)) * basis(x[i], i);
  return s;
}

static double objective(const double *x) { return f(x, 4); }
static void reverse(const double *x, double *g) { __enzyme_autodiff((void *)f, x, g, 4); }
static double forward(const double *x, const double *v) { return __enzyme_fwddiff((void *)f, x, v, 4); }

int main(void) {
  double x[4] = {0.5, -0.7, 0.2, 0.9};
  CHECK(objective, reverse, forward, x);
  return check_done();
}
