/* Arrays that steps overwrite and loops read many times: one copy of the whole array is kept in place of what was read,
 * or the steps write into that copy themselves, where they write all of it, in each step. Neighbours are held in
 * registers. */
// skip-levels: 1, 3 (what is looked at here is the same at level 2)
// heavy: many loops, which become several for vectors
#include "check.h"

#define N 6

int sizes[] = {1, 2, N}; /* read when the program runs */
int ways[] = {1, 0, 2};

#define EACH(name, ...) \
  static NOINLINE double name##_of(const double *restrict x, int n, int steps) { \
    double *y = malloc(sizeof(double) * n), *stage = malloc(sizeof(double) * n), *slope = malloc(sizeof(double) * n); \
    for (int i = 0; i < n; i++) y[i] = 0.3 * x[i] * (1 + 0.01 * i), stage[i] = 0.5 * y[i] + 0.1, slope[i] = 0.2; \
    double s = 0; \
    for (int t = 0; t < steps; t++) { \
      __VA_ARGS__ \
      for (int i = 0; i < n; i++) y[i] += 0.1 * slope[i]; \
    } \
    for (int i = 0; i < n; i++) s += (y[i] * y[i] + slope[i]) * (1 + 0.1 * i); \
    free(y), free(stage), free(slope); \
    return s; \
  } \
  static double name(const double *x) { \
    double s = 0; \
    for (int k = 0; k < COUNT(sizes); k++) \
      for (int steps = 0; steps < 6; steps += 1 + 2 * k) s += name##_of(x, sizes[k], steps) * (1 + k); \
    return s; \
  } \
  DERIVED(name)

#define ALL(i) for (int i = 0; i < n; i++)
#define WRITE(c) ALL(i) stage[i] = y[i] + (c) * slope[i];
#define READ ALL(i) slope[i] = 0.1 * stage[i] * stage[n - 1 - i] * x[i] * stage[i / 2];

/* The state is copied. */
EACH(pairs, { ALL(i) ALL(j) slope[i] += 0.1 * y[i] * y[j] * y[j]; })
/* What one loop writes in each step is written to the tape. */
EACH(neighbours, {
  WRITE(0.5)
  slope[0] = stage[n - 1] * x[0];
  for (int i = 1; i < n - 1; i++) slope[i] = (stage[i + 1] - 0.2 * stage[i - 1]) * stage[i] * x[i];
})
/* In some steps only; by one more store, in some steps. */
EACH(every_other_step, {
  if (t % 2) WRITE(0.5)
  READ
})
EACH(some_more, {
  WRITE(0.5)
  if (ways[t % 3] == 2) stage[0] += x[0];
  READ
})

int main(void) {
  double x[N];
  for (int i = 0; i < N; i++) x[i] = 0.6 + 0.1 * i - 0.02 * i * i;
  CHECK_DERIVED(pairs, x);
  CHECK_DERIVED(neighbours, x);
  CHECK_DERIVED(every_other_step, x);
  CHECK_DERIVED(some_more, x);
  return check_done();
}
