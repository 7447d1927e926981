/* Loops that touch neighbouring elements: their shadows are kept in registers from one iteration to the next. Upward,
 * downward, with a stride, in place, by moving pointers, with holes, with trip counts from one on, and with other
 * accesses that may or may not lie in the window's memory. */
#include "check.h"

#define N 12

static double finish(const double *y, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) s += y[i] * y[i] * (1 + 0.1 * i);
  return s;
}

static inline void ring(int n, const double *restrict y, double *restrict dy, const double *forcing) {
  dy[0] = (y[1] - y[n - 2]) * y[n - 1] - y[0] + forcing[0];
  dy[1] = (y[2] - y[n - 1]) * y[0] - y[1] + forcing[1];
  for (int i = 2; i < n - 1; i++) dy[i] = (y[i + 1] - y[i - 2]) * y[i - 1] - y[i] + forcing[i];
  dy[n - 1] = (y[0] - y[n - 3]) * y[n - 2] - y[n - 1] + forcing[n - 1];
}
static double rings(const double *x) {
  double s = 0;
  for (int n = 4; n <= N / 2; n++) {
    double y[N], dy[N], *heap = malloc(sizeof(double) * N);
    for (int i = 0; i < n; i++) y[i] = x[i];
    ring(n, y, dy, x + N / 2);
    for (int i = 0; i < n; i++) heap[i] = y[i] + 0.5 * dy[i];
    ring(n, heap, dy, x + N / 2);
    s += finish(dy, n);
    free(heap);
  }
  return s;
}
DERIVED(rings)

/* In place: what is stored in one iteration is read in the next. */
static double relaxed(const double *x) {
  double y[N];
  for (int i = 0; i < N; i++) y[i] = x[i];
  for (int sweep = 0; sweep < 3; sweep++)
    for (int i = 1; i < N - 1; i++) y[i] = 0.3 * (y[i - 1] + sin(y[i]) * y[i + 1]);
  return finish(y, N);
}
DERIVED(relaxed)

static double downward(const double *x) {
  double y[N], z[N];
  for (int i = 0; i < N; i++) y[i] = x[i] * x[i];
  z[N - 1] = y[0];
  z[0] = 1;
  for (int i = N - 2; i > 0; i--) z[i] = y[i + 1] * y[i] - y[i - 1] * y[i + 1];
  return finish(z, N);
}
DERIVED(downward)

/* Pairs: the stride is two elements, and there are two windows. */
static double pairs(const double *x) {
  double y[N], z[N];
  for (int i = 0; i < N; i++) y[i] = x[i] * x[i], z[i] = 0;
  for (int i = 2; i + 3 < N; i += 2) {
    z[i] = y[i - 2] * y[i + 2] + y[i];
    z[i + 1] = y[i - 1] * y[i + 3];
  }
  return finish(z, N);
}
DERIVED(pairs)

static double pointers(const double *x) {
  double y[N];
  for (int i = 0; i < N; i++) y[i] = x[i] * x[i];
  double s = 0;
  for (const double *p = y, *end = y + N - 4; p != end; p++) s += p[0] * p[4] + sin(p[1]);
  return s;
}
DERIVED(pointers)

/* The written element runs away from the window, comes near it, or is in it, as the caller says. */
static NOINLINE void shifted(double *y, int n, int by) {
  for (int i = 1; i < n; i++) y[i + by] = y[i] * y[i - 1] + 0.1;
}
static double overlapping(const double *x) {
  double s = 0;
  for (int by = -1; by < 4; by++) {
    double y[N];
    for (int i = 0; i < N; i++) y[i] = x[i];
    shifted(y, N - 4, by);
    s += finish(y, N);
  }
  return s;
}
DERIVED(overlapping)

/* Not every iteration reads both. */
static double sometimes(const double *x) {
  double y[N], z[N];
  for (int i = 0; i < N; i++) y[i] = x[i] * x[i], z[i] = 0;
  for (int i = 1; i < N; i++) {
    z[i] = y[i];
    if (x[i] > 0.8) z[i] *= y[i - 1];
  }
  for (int i = 1; i < N; i++) {
    double t = y[i] + y[i - 1];
    if (t > 1.9) break;
    z[i] += t * t;
  }
  return finish(z, N);
}
DERIVED(sometimes)

static double narrow(const double *x) {
  float y[N], z[N];
  for (int i = 0; i < N; i++) y[i] = (float)x[i], z[i] = 0;
  for (int i = 1; i + 1 < N; i++) z[i] = y[i - 1] * y[i + 1] + y[i];
  double s = 0;
  for (int i = 0; i < N; i++) s += z[i] * (double)z[i];
  return s;
}
static double narrow_wide(const double *x) {
  double s = 0;
  for (int i = 1; i + 1 < N; i++) s += pow(x[i - 1] * x[i + 1] + x[i], 2);
  return s;
}
DERIVED(narrow)

static void both(const double *a, const double *b, double *out) {
  double s = 0;
  for (int i = 1; i < N; i++) s += a[i] * a[i - 1] * b[i] * b[i - 1];
  *out = s;
}

/* The elements between those that an iteration touches belong to another pointer, by promise; few iterations. */
static __attribute__((noinline)) double between(double *restrict a, double *restrict b, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) {
    s += a[i] * a[i + 6] * a[i + 6];
    b[i] = a[i] * a[i];
  }
  return s;
}
static double promised(const double *x) {
  double s = 0;
  for (int n = 1; n < 4; n++) {
    double y[N];
    for (int i = 0; i < N; i++) y[i] = x[i];
    s += between(y, y + n, n) + finish(y, N);
  }
  return s;
}
DERIVED(promised)

/* Two pointers that may be one: the neighbours stay in memory, each by itself. Also differentiated twice. */
static NOINLINE void unknown(const double *a, const double *b, double *out, int n) {
  for (int i = 1; i + 1 < n; i++) out[i] += a[i - 1] * b[i] + a[i] * b[i + 1] * a[i + 1] + b[i - 1];
}
static double unknowns(const double *x) {
  double y[N], z[N];
  for (int i = 0; i < N; i++) y[i] = x[i] * x[i], z[i] = x[N - 1 - i];
  unknown(y, y, z, N);
  unknown(y, z, z, N - 3);
  return finish(z, N);
}
DERIVED(unknowns)
static double slope(const double *x) {
  double g[N] = {0}, s = 0;
  GRADIENT_OF(unknowns, x, g, N);
  for (int i = 0; i < N; i++) s += g[i] * (1 + 0.2 * i);
  return s;
}
DERIVED(slope)

int main(void) {
  double x[N];
  for (int i = 0; i < N; i++) x[i] = 0.7 + 0.03 * ((i * 7) % 12);
  CHECK_DERIVED(rings, x);
  CHECK_DERIVED(relaxed, x);
  CHECK_DERIVED(downward, x);
  CHECK_DERIVED(pairs, x);
  CHECK_DERIVED(pointers, x);
  CHECK_DERIVED(overlapping, x);
  CHECK_DERIVED(sometimes, x);
  CHECK_DERIVED(unknowns, x);
  CHECK_ENGINE(CHECK_DERIVED(slope, x));
  CHECK_DERIVED(promised, x);
  CHECK_SINGLE(narrow_wide, narrow_gradient, narrow_tangent, x);
#ifndef REFERENCE
  /* One shadow for two arguments gets both derivatives. */
  double y[N], apart_x[N] = {0}, apart_y[N] = {0}, shared[N] = {0}, out, seed = 1;
  for (int i = 0; i < N; i++) y[i] = 1 + 0.1 * i;
  __enzyme_autodiff((void *)both, x, apart_x, y, apart_y, &out, &seed);
  seed = 1;
  __enzyme_autodiff((void *)both, x, shared, y, shared, &out, &seed);
  for (int i = 0; i < N; i++) check_value("shared", shared[i], apart_x[i] + apart_y[i], 1e-12);
#endif
  return check_done();
}
