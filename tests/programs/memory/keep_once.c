/* Loops in loops that read, over and over, what later steps overwrite: where it is the same in every run of an inner
 * loop, one copy of it is kept for all of them. Each function breaks that in one place: the memory is written between the
 * runs, the address moves with the outer loop, runs differ in length, are left early or do not take place. */
// heavy: many loops, which become several for vectors
#include "check.h"

#define N 5

int sizes[] = {0, 1, 2, N}; /* read when the program runs */

#define EACH(name, ...)                                                                        \
  static NOINLINE double name##_of(const double *restrict x, int n, int m, int steps) {        \
    double *y = malloc(sizeof(double) * (2 * N + 2)), *slope = malloc(sizeof(double) * (2 * N + 2)); \
    for (int i = 0; i < 2 * N + 2; i++) y[i] = 0.3 * x[i % N] * (1 + 0.01 * i), slope[i] = 0.2; \
    for (int t = 0; t < steps; t++) {                                                          \
      __VA_ARGS__                                                                              \
      for (int i = 0; i < n; i++) y[i] += 0.1 * slope[i] * slope[i];                           \
    }                                                                                          \
    double s = 0;                                                                              \
    for (int i = 0; i < 2 * N + 2; i++) s += (y[i] * y[i] + slope[i]) * (1 + 0.1 * i);         \
    free(y), free(slope);                                                                      \
    return s;                                                                                  \
  }                                                                                            \
  static double name(const double *x) {                                                        \
    double s = 0;                                                                              \
    for (int k = 0; k < COUNT(sizes); k++)                                                     \
      for (int l = 0; l < COUNT(sizes); l++)                                                   \
        for (int steps = 0; steps < 4; steps += 3)                                             \
          s += name##_of(x, sizes[k], sizes[l], steps) * (1 + k + 0.1 * l);                    \
    return s;                                                                                  \
  }                                                                                            \
  DERIVED(name)

EACH(product, {
  for (int i = 0; i < n; i++) {
    double sum = 0;
    for (int j = 0; j < m; j++) sum += x[(i + j) % N] * y[j];
    slope[i] = sum;
  }
})
/* Three loops: what is read depends on the innermost, on the middle one, on both. */
EACH(deeper, {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      for (int k = 0; k < n; k++) slope[i] += 0.01 * y[k] * y[j] * y[j + k] * x[i];
})
EACH(computed, {
  for (int i = 0; i < n; i++) {
    double sum = 0;
    for (int j = 0; j < m; j++) sum += x[i] * sin(y[j] * y[j + 1]) * exp(y[n]);
    slope[i] = sum;
  }
})
/* The memory is written between the runs, by the loop itself, far behind what is read, or in the run. */
EACH(in_place, {
  for (int i = 0; i < n; i++) {
    double sum = 0;
    for (int j = 0; j < m; j++) sum += x[(i + j) % N] * y[j] * y[j];
    y[i] = 0.1 * sum;
  }
})
EACH(behind, {
  for (int i = 0; i < n; i++) {
    double sum = 0;
    for (int j = 0; j < m; j++) sum += x[(i + j) % N] * y[j] * y[j];
    y[N + i] = sum;
    y[N + 1] += 0.1 * slope[i];
  }
})
EACH(in_the_run, {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) slope[i] += x[i] * y[j] * y[j], y[j + 1] *= 0.9;
})
/* The address moves with the outer loop. */
EACH(moves, {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) slope[i] += 0.1 * x[i] * y[i + j] * y[i + j];
})
EACH(starts_elsewhere, {
  for (int i = 0; i < n; i++) {
    const double *p = i % 2 ? y : y + 2;
    for (int j = 0; j < m; j++) slope[i] += 0.1 * x[i] * p[j] * p[j];
  }
})
EACH(goes_on, {
  const double *p = y;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < m; j++) slope[i] += 0.1 * x[i] * *p * *p, p++;
    if (i % 2) p = y;
  }
})
/* Runs of different lengths, no runs, and runs that are left early. */
EACH(triangle, {
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) slope[i] += 0.1 * x[i] * y[j] * y[j];
})
EACH(some_runs, {
  for (int i = 0; i < n; i++) {
    if (x[i] > 0.8 && m > 1) continue;
    for (int j = 0; j < m; j++) slope[i] += 0.1 * x[i] * y[j] * y[j];
  }
})
EACH(some_rounds, {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      if (x[(i + j) % N] > 0.75) slope[i] += 0.1 * x[i] * y[j] * y[j];
})
EACH(left_early, {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      slope[i] += 0.1 * x[i] * y[j] * y[j];
      if (slope[i] > 0.31) break;
    }
})
EACH(left_at_once, {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      slope[i] += 0.1 * x[i] * y[j] * y[j];
      if (slope[i] > 0.32) goto next;
    }
next:;
})
/* The least of several sums: reversed loops of which one runs. */
EACH(least, {
  double low = 9;
  for (int i = 0; i < n; i++) {
    double sum = 0;
    for (int j = 0; j < m; j++) sum += (y[j] - x[(i + j) % N]) * (y[j] - x[(i + j) % N]);
    if (sum < low) low = sum;
  }
  slope[0] += 0.1 * low;
})

static NOINLINE void change(double *y, int i) { y[i] *= 1.1; }
EACH(called, {
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < m; j++) slope[i] += 0.1 * x[i] * y[j] * y[j];
    change(y, (i * 2) % N);
  }
})

static NOINLINE double row(const double *a, const double *y, int n) {
  double s = 0;
  for (int j = 0; j < n; j++) s += a[j] * y[j] * y[j];
  return s;
}
EACH(split, {
  for (int i = 0; i < n; i++) slope[i] = 0.1 * row(x, y, m);
})

static double slope_of(const double *x) {
  double g[N] = {0}, s = 0;
  GRADIENT_OF(product, x, g, N);
  for (int i = 0; i < N; i++) s += g[i] * (1 + 0.2 * i);
  return s;
}
DERIVED(slope_of)

int main(void) {
  double x[N];
  for (int i = 0; i < N; i++) x[i] = 0.62 + 0.05 * ((i * 7) % 5);
  CHECK_DERIVED(product, x);
  CHECK_DERIVED(deeper, x);
  CHECK_DERIVED(computed, x);
  CHECK_DERIVED(in_place, x);
  CHECK_DERIVED(behind, x);
  CHECK_DERIVED(in_the_run, x);
  CHECK_DERIVED(moves, x);
  CHECK_DERIVED(starts_elsewhere, x);
  CHECK_DERIVED(goes_on, x);
  CHECK_DERIVED(triangle, x);
  CHECK_DERIVED(some_runs, x);
  CHECK_DERIVED(some_rounds, x);
  CHECK_DERIVED(left_early, x);
  CHECK_DERIVED(left_at_once, x);
  CHECK_DERIVED(least, x);
  CHECK_DERIVED(called, x);
  CHECK_DERIVED(split, x);
  CHECK_ENGINE(CHECK_DERIVED(slope_of, x));
  return check_done();
}
