/* Strides other than one, counting down, two counters that meet, doubling counters, narrow counters. */
#include "check.h"

#define N 11

static double strides(const double *x, int n) {
  double s = 0;
  for (int i = 0; i < n; i += 3) s += x[i] * x[i];
  for (int i = n - 1; i >= 0; i -= 2) s = s * 0.9 + sin(x[i]);
  for (int i = 0, j = n - 1; i < j; i++, j--) s += x[i] * x[j] * s * 0.1;
  for (int i = 1; i < n; i *= 2) s += exp(0.1 * x[i] * s);
  for (unsigned i = (unsigned)n; i-- > 0;) s += 0.2 * x[i] * x[i] * x[i];
  for (unsigned char i = 250; i != 3; i++) s += 0.01 * x[i % 11] * s;
  for (long long i = -5; i < 5; i += 2) s += x[i + 5] / (i * i + 1.0);
  for (size_t i = 2; i <= (size_t)n - 2; i++) s -= 0.1 * x[i - 1] * x[i + 1];
  return s;
}

static double objective(const double *x) { return strides(x, N); }
static void gradient(const double *x, double *g) { __enzyme_autodiff((void *)strides, x, g, N); }
static double tangent(const double *x, const double *v) {
  return __enzyme_fwddiff((void *)strides, enzyme_dup, x, v, N);
}

int main(void) {
  double x[N] = {0.3, 0.8, -0.2, 0.6, 0.45, -0.7, 0.4, 0.15, -0.35, 0.55, 0.9};
  CHECK(objective, gradient, tangent, x);
  return check_done();
}
