/* Arrays and accumulators in single precision, double accumulators over float data, and the other way round. */
#include "check.h"

#define N 5

static float floats(const float *x, float *y, int n) {
  float s = 0;
  for (int i = 0; i < n; i++) {
    y[i] = x[i] * x[i] + y[i] * s;
    s += sinf(y[i]) * x[n - 1 - i];
  }
  return s;
}
static double floats_twin(const double *x) {
  double s = 0, y[N];
  for (int i = 0; i < N; i++) {
    y[i] = x[i] * x[i] + 0.5 * s;
    s += sin(y[i]) * x[N - 1 - i];
  }
  return s + y[N - 1];
}
static double accumulate(const float *x, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) s += (double)x[i] * x[i] * exp(-x[i]);
  return s;
}
static double accumulate_twin(const double *x) {
  double s = 0;
  for (int i = 0; i < N; i++) s += x[i] * x[i] * exp(-x[i]);
  return s;
}

extern float __enzyme_autodiff_float(void *, ...);
extern float __enzyme_fwddiff_float(void *, ...);
static void narrow(const double *x, float *f) {
  for (int i = 0; i < N; i++) f[i] = (float)x[i];
}
static void floats_gradient(const double *x, double *g) {
  float f[N], d[N] = {0}, y[N] = {0.5f, 0.5f, 0.5f, 0.5f, 0.5f}, dy[N] = {0, 0, 0, 0, 1};
  narrow(x, f);
  __enzyme_autodiff_float((void *)floats, enzyme_dup, f, d, enzyme_dup, y, dy, N);
  for (int i = 0; i < N; i++) g[i] = d[i];
}
static double floats_tangent(const double *x, const double *v) {
  float f[N], d[N], y[N] = {0.5f, 0.5f, 0.5f, 0.5f, 0.5f}, dy[N] = {0};
  narrow(x, f);
  narrow(v, d);
  float s = __enzyme_fwddiff_float((void *)floats, enzyme_dup, f, d, enzyme_dup, y, dy, N);
  return s + dy[N - 1];
}
static void accumulate_gradient(const double *x, double *g) {
  float f[N], d[N] = {0};
  narrow(x, f);
  __enzyme_autodiff((void *)accumulate, enzyme_dup, f, d, N);
  for (int i = 0; i < N; i++) g[i] = d[i];
}
static double accumulate_tangent(const double *x, const double *v) {
  float f[N], d[N];
  narrow(x, f);
  narrow(v, d);
  return __enzyme_fwddiff((void *)accumulate, enzyme_dup, f, d, N);
}

int main(void) {
  double x[N] = {0.5, -0.25, 0.75, 1.125, 0.375};
  CHECK_SINGLE(floats_twin, floats_gradient, floats_tangent, x);
  CHECK_SINGLE(accumulate_twin, accumulate_gradient, accumulate_tangent, x);
  return check_done();
}
