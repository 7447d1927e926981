/* Loops of exactly two rounds, whose flag an optimiser writes as "first round or not", alone, in nests and in calls; and
   longer loops that treat their first round apart. */
#include "check.h"

#define N 12

static void butterfly(double *restrict x, const double *restrict w) {
  for (int k = 0; k < 2; k++) {
    double t = x[k + 2] * w[k] * x[k];
    x[k + 2] = x[k] - t;
    x[k] += t;
  }
}
static void pairs(double *restrict x, int n) {
  for (int i = 0; i + 1 < n; i += 2) {
    double old = x[i];
    for (int k = 1; k >= 0; k--) x[i + k] = sin(x[i + k]) * (k ? old : 2.0) + 0.5 * x[i + 1 - k];
  }
}
static double rotated(const double *x, int n) {
  double best = 0, before = 0;
  int first = 1, sign = 5;
  for (int i = 0; i < n; i++) { /* the first round is another than all later ones */
    best += first ? x[i] * x[i] : x[i] * before + sign * x[i];
    before = x[i];
    first = 0;
    sign = -3;
  }
  return best;
}
static double steps(const double *x) {
  double s = 1, factor = 3;
  int round = 7;
  do { /* counts 7, 9 */
    s *= x[round] + factor * x[round - 7];
    factor = x[round];
    round += 2;
  } while (round < 11);
  return s;
}
static double matrix(const double *x) {
  double y[2] = {x[0], x[1]};
  for (int step = 0; step < 3; step++) {
    double z[2] = {0, 0};
    for (int i = 0; i < 2; i++)
      for (int j = 0; j < 2; j++) z[i] += x[4 + 2 * i + j] * y[j] * y[i];
    for (int i = 0; i < 2; i++) y[i] = z[i] / (1 + z[i] * z[i]);
  }
  return y[0] + 2 * y[1];
}
static double f(const double *x) {
  const double w[2] = {0.7, -0.4};
  double y[N];
  memcpy(y, x, sizeof y);
  butterfly(y, w);
  butterfly(y + 4, w);
  for (int i = 0; i < 2; i++) butterfly(y + 4 * i + 2, w);
  pairs(y, N);
  return rotated(y, N) + steps(y) + matrix(y) + rotated(y + 3, 1);
}
static void gradient(const double *x, double *g) { __enzyme_autodiff((void *)f, enzyme_dup, x, g); }
static double tangent(const double *x, const double *v) { return __enzyme_fwddiff((void *)f, enzyme_dup, x, v); }

int main(void) {
  double x[N] = {0.6, -0.45, 0.8, 0.4, 0.3, 0.2, 0.1, 0.9, 0.7, 0.3, 0.6, -0.4};
  CHECK(f, gradient, tangent, x);
  return check_done();
}
