/* Indirect addresses with duplicates: gather, scatter with += and with =, a histogram with active weights. */
#include "check.h"

static const int where[8] = {2, 0, 2, 3, 1, 2, 0, 4};

static double scatter(const double *x, const int *index, int n) {
  double bins[5] = {0}, last[5] = {0}, s = 0;
  for (int i = 0; i < n; i++) bins[index[i]] += x[i] * x[i];
  for (int i = 0; i < n; i++) last[index[n - 1 - i]] = x[i] * bins[index[i]];
  for (int i = 0; i < n; i++) bins[index[i]] *= 1 + 0.1 * x[index[i]];
  for (int k = 0; k < 5; k++) s += bins[k] * last[k] * (k + 1);
  return s;
}

static double objective(const double *x) { return scatter(x, where, 8); }
static void gradient(const double *x, double *g) {
  __enzyme_autodiff((void *)scatter, enzyme_dup, x, g, enzyme_const, where, 8);
}
static double tangent(const double *x, const double *v) {
  return __enzyme_fwddiff((void *)scatter, enzyme_dup, x, v, enzyme_const, where, 8);
}

int main(void) {
  double x[8] = {0.6, -0.45, 0.8, 0.5, -1.2, 0.3, 0.9, -0.1};
  CHECK(objective, gradient, tangent, x);
  return check_done();
}
