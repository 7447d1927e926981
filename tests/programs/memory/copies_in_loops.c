/* Blocks that are copied in front of a loop that reads them, as optimisers leave loops that copy. Where the loop can make
 * the copy itself, it does. Each function breaks that in one place: what is copied is written in the loop, or in front
 * of it, what it is copied to is read there, the loop reads less, more, in another order, or only sometimes. */
// heavy: many loops, which become several for vectors
#include "check.h"

#define N 9

int sizes[] = {0, 1, 2, 5, N}; /* read when the program runs */
static double *seen;

#define EACH(name, ...)                                                                       \
  static NOINLINE double name##_of(const double *restrict x, int n, int steps) {              \
    double *y = malloc(sizeof(double) * (2 * N + 2)), *slope = malloc(sizeof(double) * (N + 2)); \
    double *sum = malloc(sizeof(double) * (N + 2)), *more = malloc(sizeof(double) * (N + 2)); \
    for (int i = 0; i < 2 * N + 2; i++) y[i] = x[i % N] * (1 + 0.01 * i);                     \
    for (int i = 0; i < N + 2; i++) slope[i] = sum[i] = more[i] = 0.5;                        \
    for (int t = 0; t < steps; t++) {                                                         \
      for (int i = 0; i < n; i++) slope[i] = x[i] * y[i] * (1 - 0.1 * t);                     \
      __VA_ARGS__                                                                             \
      for (int i = 0; i < n; i++) y[i] = 0.9 * y[i] + 0.1 * sum[i] * more[i];                 \
    }                                                                                         \
    double s = 0;                                                                             \
    for (int i = 0; i < 2 * N + 2; i++) s += y[i] * y[i] * (1 + 0.1 * i);                     \
    for (int i = 0; i < N + 2; i++) s += sum[i] * more[i] * slope[i];                         \
    free(y), free(slope), free(sum), free(more);                                              \
    return s;                                                                                 \
  }                                                                                           \
  static double name(const double *x) {                                                       \
    double s = 0;                                                                             \
    for (int k = 0; k < COUNT(sizes); k++)                                                    \
      for (int steps = 0; steps < 3; steps++) s += name##_of(x, sizes[k], steps) * (1 + k);   \
    return s;                                                                                 \
  }                                                                                           \
  DERIVED(name)

#define COPY(to, from, n) memcpy(to, from, sizeof(double) * (size_t)(n))

/* These go into the loop. */
EACH(written, { for (int i = 0; i < n; i++) sum[i] = slope[i], more[i] = y[i] + 0.3 * slope[i]; })
EACH(plain, {
  if (n > 0) COPY(sum, slope, n);
  for (int i = 0; i < n; i++) more[i] = y[i] + 0.3 * slope[i];
})
EACH(twice, {
  COPY(sum, slope, n);
  COPY(y + N, slope, n);
  for (int i = 0; i < n; i++) more[i] = y[i] * slope[i];
})
/* What is copied is written by the loop, ahead, behind or in place, or between the copy and the loop. */
EACH(in_place, {
  COPY(sum, slope, n);
  for (int i = 0; i < n; i++) slope[i] = slope[i] * y[i];
})
EACH(ahead, {
  COPY(sum, slope, n);
  for (int i = 0; i < n; i++) slope[i + 1] = slope[i] * y[i];
})
EACH(before, {
  COPY(sum, slope, n);
  slope[n / 2] = y[0] * x[1];
  for (int i = 0; i < n; i++) more[i] = y[i] + 0.3 * slope[i];
})
/* What it is copied to is read or written there. */
EACH(read_behind, {
  COPY(sum, slope, n);
  for (int i = 0; i < n; i++) more[i] = slope[i] * sum[n - 1 - i];
})
EACH(added, {
  COPY(sum, slope, n);
  for (int i = 0; i < n; i++) sum[i] += slope[i] * y[i];
})
EACH(written_first, {
  COPY(sum, slope, n);
  sum[0] = y[1];
  for (int i = 0; i < n; i++) more[i] = y[i] + 0.3 * slope[i];
})
EACH(chain, {
  COPY(sum, slope, n);
  COPY(more, sum, n);
  for (int i = 0; i < n; i++) y[i] += sum[i] * slope[i];
})
/* The loop reads less, more, in another order, from elsewhere on. */
EACH(less, {
  COPY(sum, slope, n);
  for (int i = 0; i < n - 1; i++) more[i] = slope[i] * y[i];
})
EACH(one_further, {
  COPY(sum, slope, n);
  for (int i = 0; i < n; i++) more[i] = slope[i + 1] * y[i];
})
EACH(sometimes, {
  COPY(sum, slope, n);
  for (int i = 0; i < n; i++)
    if (y[i] > 0.6) more[i] = slope[i] * y[i];
})
EACH(left_early, {
  COPY(sum, slope, n);
  for (int i = 0; i < n; i++) {
    more[i] = slope[i] * y[i];
    if (more[i] > 0.35) break;
  }
})

/* A function that the loop calls reads where it is copied to. */
static NOINLINE double at(int i) { return seen[i]; }
EACH(called, {
  seen = sum;
  COPY(sum, slope, n);
  for (int i = 0; i < n; i++) more[i] = slope[i] * at(n - 1 - i);
})

/* Arrays of the caller's, which may be one and the same. */
static NOINLINE double given(const double *a, double *b, double *c, int n) {
  double s = 0;
  memmove(b, a, sizeof(double) * (size_t)n);
  for (int i = 0; i < n; i++) s += 0.1 * a[i] * a[i], c[i] = 0.5 * s;
  return s;
}
static double overlapping(const double *x) {
  double a[3 * N], s = 0;
  for (int k = 0; k < COUNT(sizes); k++)
    for (int shift = 0; shift < 3; shift++) {
      for (int i = 0; i < 3 * N; i++) a[i] = x[i % N];
      s += given(a, a + N, a + shift, sizes[k]) * (k + 1);
      for (int i = 0; i < 3 * N; i++) s += a[i] * a[i];
    }
  return s;
}
DERIVED(overlapping)

/* Numbers of half the size, and as many bytes of them read as whole numbers. */
static double halved(const double *x) {
  double s = 0;
  for (int k = 0; k < COUNT(sizes); k++) {
    float a[2 * N] = {0}, b[2 * N] = {0};
    int n = sizes[k];
    for (int i = 0; i < n; i++) a[i] = (float)(x[i] * (1 + k));
    memcpy(b, a, sizeof(float) * (size_t)n);
    for (int i = 0; i < n; i++) s += a[i] * (float)x[i];
    memcpy(b + N, a, sizeof(float) * (size_t)(n / 2));
    for (int i = 0; i < n; i++) s += a[i];
    for (int i = 0; i < 2 * N; i++) s += b[i] * b[i];
  }
  return s;
}
static double halved_wide(const double *x) {
  double s = 0;
  for (int k = 0; k < COUNT(sizes); k++)
    for (int i = 0; i < sizes[k]; i++) {
      double a = x[i] * (1 + k);
      s += a * x[i] + a + a * a * (i < sizes[k] / 2 ? 2 : 1);
    }
  return s;
}
DERIVED(halved)

static double slope_of(const double *x) {
  double g[N] = {0}, s = 0;
  GRADIENT_OF(plain, x, g, N);
  for (int i = 0; i < N; i++) s += g[i] * (1 + 0.2 * i);
  return s;
}
DERIVED(slope_of)

int main(void) {
  double x[N];
  for (int i = 0; i < N; i++) x[i] = 0.62 + 0.05 * ((i * 7) % 9);
  CHECK_DERIVED(written, x);
  CHECK_DERIVED(plain, x);
  CHECK_DERIVED(twice, x);
  CHECK_DERIVED(in_place, x);
  CHECK_DERIVED(ahead, x);
  CHECK_DERIVED(before, x);
  CHECK_DERIVED(read_behind, x);
  CHECK_DERIVED(added, x);
  CHECK_DERIVED(written_first, x);
  CHECK_DERIVED(chain, x);
  CHECK_DERIVED(less, x);
  CHECK_DERIVED(one_further, x);
  CHECK_DERIVED(sometimes, x);
  CHECK_DERIVED(left_early, x);
  CHECK_DERIVED(called, x);
  CHECK_DERIVED(overlapping, x);
  CHECK_SINGLE(halved_wide, halved_gradient, halved_tangent, x);
  CHECK_ENGINE(CHECK_DERIVED(slope_of, x));
  return check_done();
}
