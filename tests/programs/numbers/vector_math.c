// flags: -ffast-math -march=x86_64_v3
/* Calls that the vectoriser turns into calls of libmvec, in values and in derivatives, in both formats. One function
 * of the program's own has a library function's name: a vector version of that would be something else. */
#define _GNU_SOURCE
#include "check.h"

#define N 37
#define FUNCTIONS(row)                                                                          \
  row(sin, sinf) row(cos, cosf) row(tan, tanf) row(asin, asinf) row(acos, acosf)                \
  row(atan, atanf) row(sinh, sinhf) row(cosh, coshf) row(tanh, tanhf) row(exp, expf)            \
  row(exp2, exp2f) row(expm1, expm1f) row(log, logf) row(log2, log2f) row(log10, log10f)        \
  row(log1p, log1pf) row(cbrt, cbrtf) row(erf, erff) row(asinh, asinhf)
#define DEFINE(f, g)                                            \
  static double sum_##f(const double *x) {                      \
    double s = 0;                                               \
    for (int i = 0; i < N; i++) s += f(x[i]) * x[i];            \
    return s;                                                   \
  }                                                             \
  static double small_##f(const double *x) {                    \
    float s = 0;                                                \
    for (int i = 0; i < N; i++) s += g(x[i]) * (float)x[i];     \
    return s;                                                   \
  }                                                             \
  DERIVED(sum_##f)                                              \
  DERIVED(small_##f)
FUNCTIONS(DEFINE)

static double powers(const double *x) {
  double s = 0;
  for (int i = 0; i < N; i++) s += pow(x[i], 1.5 + x[i]) * hypot(x[i], 2) + atan2(x[i], 0.5);
  return s;
}
DERIVED(powers)

NOINLINE double exp10(double x) { return 3 * x * x; }
static double own(const double *x) {
  double s = 0;
  for (int i = 0; i < N; i++) s += exp10(x[i]);
  return s;
}
DERIVED(own)

int main(void) {
  double x[N];
  for (int i = 0; i < N; i++) x[i] = 0.1 + 0.8 * i / N;
#define RUN(f, g)             \
  CHECK_DERIVED(sum_##f, x);  \
  CHECK_SINGLE(sum_##f, small_##f##_gradient, small_##f##_tangent, x);
  FUNCTIONS(RUN)
  CHECK_DERIVED(powers, x);
  CHECK_DERIVED(own, x);
  return check_done();
}
