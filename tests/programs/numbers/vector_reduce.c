// flags: -ffast-math -fvectorize -fslp-vectorize -mavx2 -mfma
/* Loops that clang vectorises before differentiation: reductions, blends, strides, lanes of several widths.
 * vector_reduce_wide.c includes this for AVX-512, which scatters too. */
#include "check.h"

#define N 37
static NOINLINE double sum(const double *x, int n) { double s = 0; for (int i = 0; i < n; i++) s += x[i] * x[i]; return s; }
static NOINLINE double product(const double *x, int n) { double s = 1; for (int i = 0; i < n; i++) s *= 1 + 0.1 * x[i]; return s; }
static NOINLINE double largest(const double *x, int n) { double s = x[0]; for (int i = 1; i < n; i++) s = x[i] > s ? x[i] : s; return s; }
static NOINLINE double smallest(const double *x, int n) { double s = x[0]; for (int i = 1; i < n; i++) s = x[i] < s ? x[i] : s; return s; }
static NOINLINE double branch(const double *x, int n) { double s = 0; for (int i = 0; i < n; i++) if (x[i] > 0.3) s += x[i] * x[i]; return s; }
static NOINLINE void scale(double *restrict y, const double *restrict x, int n) { for (int i = 0; i < n; i++) y[i] = x[i] > 0 ? sqrt(x[i]) : x[i] * 2; }
static NOINLINE double stride(const double *x, int n) { double s = 0; for (int i = 0; i < n / 2; i++) s += x[2 * i] * x[2 * i + 1]; return s; }
static NOINLINE double mixed(const float *x, const int *k, int n) { double s = 0; for (int i = 0; i < n; i++) s += (double)x[i] * k[i]; return s; }
static NOINLINE double gather(const double *x, const int *k, int n) { double s = 0; for (int i = 0; i < n; i++) s += x[k[i]] * x[i]; return s; }

#ifdef SCATTERS
static NOINLINE void scatter(double *restrict y, const double *restrict x, const int *restrict k, int n) {
#pragma clang loop vectorize(assume_safety)
  for (int i = 0; i < n; i++) if (x[i] > -0.5) y[k[i]] = x[i] * x[i] + y[k[i]];
}
#endif

static double all(const double *p) {
  double y[N];
  float f[N];
  int k[N];
  scale(y, p, N);
  for (int i = 0; i < N; i++) { f[i] = (float)p[i]; k[i] = (i * 7) % N; }
#ifdef SCATTERS
  scatter(y, p, k, N);
#endif
  return sum(y, N) + product(p, N) * 0.1 + largest(p, N) * smallest(p, N) + branch(p, N) + stride(y, N) + gather(p, k, N);
}
DERIVED(all)
static double narrow(const double *p) {
  float f[N];
  int k[N];
  for (int i = 0; i < N; i++) { f[i] = (float)p[i]; k[i] = (i * 7) % N; }
  return mixed(f, k, N);
}
static double narrow_twin(const double *p) { double s = 0; for (int i = 0; i < N; i++) s += p[i] * ((i * 7) % N); return s; }
DERIVED(narrow)

int main(void) {
  double a[N];
  for (int i = 0; i < N; i++) a[i] = sin(1 + 1.7 * i) + 0.02 * i + 0.01;
  CHECK_FULL(all, all_gradient, 0, all_tangent, a, N, 1e-5, 1e-9);
  CHECK_FULL(narrow_twin, narrow_gradient, 0, narrow_tangent, a, N, 1e-4, 1e-4);
  return check_done();
}
