/* fma, fmin, fmax, fabs, copysign, fdim, sqrt and the builtin spellings, in both precisions. */
#include "check.h"

static double mix(const double *x) {
  double s = fma(x[0], x[1], x[2]);
  s += fmin(x[0], x[1]) * fmax(x[1], x[2]) + fmax(fmin(s, 2.0), -2.0);
  s += fabs(x[3]) * copysign(x[0], x[3]) + copysign(2.0, x[1]) * x[2];
  s *= 1 + fdim(x[0], x[1]) * fdim(x[1], x[0] + 3) + fdim(x[2], x[3]);
  s += __builtin_fma(s, x[3], -x[0]) + __builtin_sqrt(1 + x[1] * x[1]) + __builtin_fabs(x[1] - 2);
  return s + fabs(x[0] - x[1]) * fma(2.0, x[3], x[3]);
}

static void gradient(const double *x, double *g) { __enzyme_autodiff((void *)mix, x, g); }
static double tangent(const double *x, const double *v) { return __enzyme_fwddiff((void *)mix, enzyme_dup, x, v); }

static float single(const float *x) {
  return fmaf(x[0], x[1], x[2]) + fminf(x[0], x[1]) * fmaxf(x[1], x[2]) + fabsf(x[3]) * copysignf(x[0], x[3]) +
         fdimf(x[2], x[3]) * sqrtf(x[0] + 1);
}
static double single_twin(const double *x) {
  return x[0] * x[1] + x[2] + fmin(x[0], x[1]) * fmax(x[1], x[2]) + fabs(x[3]) * copysign(x[0], x[3]) +
         fdim(x[2], x[3]) * sqrt(x[0] + 1);
}
static void single_gradient(const double *x, double *g) {
  float f[4] = {(float)x[0], (float)x[1], (float)x[2], (float)x[3]}, d[4] = {0};
  __enzyme_autodiff((void *)single, f, d);
  for (int i = 0; i < 4; i++) g[i] = d[i];
}

int main(void) {
  double x[4] = {0.6, 0.45, 0.3, -0.8}, y[4] = {-0.6, 1.45, 0.3, 0.2}, z[4] = {0.6, -1.45, 0.7, 0.2};
  CHECK(mix, gradient, tangent, x);
  CHECK(mix, gradient, tangent, y);
  CHECK(mix, gradient, tangent, z);
  CHECK_SINGLE(single_twin, single_gradient, 0, x);
  CHECK_SINGLE(single_twin, single_gradient, 0, z);
  return check_done();
}
