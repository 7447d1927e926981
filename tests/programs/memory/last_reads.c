/* Scratch arrays in loops over time: what is read for the last time gets its derivative set, and what is set before it
 * is read is not cleared. Each function breaks the proof in one place, for lengths from nothing on: elements that are
 * left over, read twice, written by some steps only, in other orders, by copies, behind a branch that says nothing. */
// heavy: many loops, which become several for vectors
#include "check.h"

#define N 12

int sizes[] = {0, 1, 2, 3, N}; /* read when the program runs */

static double finish(const double *y, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) s += y[i] * y[i] * (1 + 0.1 * i);
  return s;
}

#define EACH(name, ...)                                                                   \
  static NOINLINE double name##_of(const double *restrict x, int n, int steps) {          \
    double *y = malloc(sizeof(double) * (N + 2)), *slope = malloc(sizeof(double) * (N + 2));\
    double *stage = malloc(sizeof(double) * (N + 2));                                     \
    for (int i = 0; i < N + 2; i++) y[i] = x[i % N], slope[i] = stage[i] = 0.5;           \
    for (int t = 0; t < steps; t++) __VA_ARGS__                                           \
    double s = finish(y, N);                                                              \
    free(y), free(slope), free(stage);                                                    \
    return s;                                                                             \
  }                                                                                       \
  static double name(const double *x) {                                                   \
    double s = 0;                                                                         \
    for (int k = 0; k < COUNT(sizes); k++)                                                \
      for (int steps = 0; steps < 4; steps++) s += name##_of(x, sizes[k], steps) * (1 + k);\
    return s;                                                                             \
  }                                                                                       \
  DERIVED(name)

/* As in a method of Runge and Kutta. */
EACH(plain, {
  slope[0] = x[0] * y[0];
  for (int i = 1; i < n; i++) slope[i] = x[i] * y[i - 1];
  for (int i = 0; i < n; i++) stage[i] = y[i] + 0.1 * slope[i];
  slope[0] = x[0];
  for (int i = 1; i < n; i++) slope[i] = x[i] * stage[i - 1];
  for (int i = 0; i < n; i++) y[i] += 0.2 * slope[i];
})
/* The first element, and the last one, keep what they were. */
EACH(kept_first, {
  for (int i = 1; i < n; i++) slope[i] = x[i] * y[i - 1];
  for (int i = 0; i < n; i++) y[i] += 0.2 * slope[i];
})
EACH(kept_last, {
  for (int i = 0; i < n - 1; i++) slope[i] = x[i] * y[i + 1];
  for (int i = 0; i < n; i++) y[i] += 0.2 * slope[i];
})
/* More is written than read, and what is left over is read much later. */
EACH(left_over, {
  for (int i = 0; i < n; i++) slope[i] = x[i] * y[i];
  for (int i = 0; i < n - 1; i++) y[i] += 0.2 * slope[i];
  if (t == 2 && n > 0) y[0] += slope[n - 1];
})
EACH(only_some, {
  for (int i = 0; i < n; i++) slope[i] = x[i] * y[i];
  if (x[t] > 0.8)
    for (int i = 0; i < n; i++) y[i] += 0.2 * slope[i];
})
EACH(written_by_some, {
  if (t != 1)
    for (int i = 0; i < n; i++) slope[i] = x[i] * y[i];
  for (int i = 0; i < n; i++) y[i] += 0.2 * slope[i];
})
/* The branch around a loop is about something else, or lets the loop run though it says less. */
EACH(other_guard, {
  if (n > t)
    for (int i = 0; i < n; i++) slope[i] = x[i] * y[i];
  if (n > 0)
    for (int i = 0; i < n; i++) y[i] += 0.2 * slope[i];
})
EACH(stricter_guard, {
  if (n > 2)
    for (int i = 0; i < n; i++) slope[i] = x[i] * y[i];
  for (int i = 0; i < n; i++) y[i] += 0.2 * slope[i] * slope[i];
})
EACH(looser_guard, {
  for (int i = 0; i < n; i++) slope[i] = x[i] * y[i];
  if (n >= 2)
    for (int i = 0; i < n; i++) y[i] += 0.2 * slope[i] * slope[i];
})
/* One element again and again, in a loop that may have no rounds. */
EACH(one_element, {
  for (int i = 0; i < n; i++) slope[0] = x[i] * y[0];
  for (int i = 0; i < 1; i++) y[i] += 0.2 * slope[i];
  for (int i = 0; i < n; i++) y[i] += 0.1 * slope[0];
})
EACH(downward, {
  for (int i = n - 1; i >= 0; i--) slope[i] = x[i] * y[i + 1];
  for (int i = 0; i < n; i++) stage[i] = slope[i] * 1.5;
  for (int i = n - 1; i >= 0; i--) y[i] += 0.2 * stage[i] * x[i];
})
EACH(twice, {
  for (int i = 0; i < n; i++) slope[i] = x[i] * y[i];
  for (int i = 0; i < n; i++) stage[i] = slope[i] * slope[i];
  for (int i = 0; i < n; i++) y[i] += 0.2 * slope[i] + 0.1 * stage[i];
})
EACH(shifted, {
  for (int i = 0; i < n; i++) slope[i] = x[i] * y[i];
  for (int i = 0; i < n; i++) y[i] += 0.2 * slope[i + 1];
})
EACH(in_halves, {
  for (int i = 0; i < n / 2; i++) slope[i] = x[i] * y[i];
  for (int i = n / 2; i < n; i++) slope[i] = x[i] + y[i];
  for (int i = 0; i < n; i++) y[i] += 0.2 * slope[i] * slope[i];
})
EACH(copied, {
  for (int i = 0; i < n; i++) slope[i] = x[i] * y[i];
  memcpy(stage, slope, sizeof(double) * n);
  for (int i = 0; i < n; i++) y[i] += 0.2 * slope[i];
  for (int i = 0; i < n; i++) y[i] += 0.1 * stage[i] * x[i];
  memset(stage, 0, sizeof(double) * (n / 2));
  for (int i = 0; i < n; i++) y[i] += stage[i];
})
EACH(left_early, {
  for (int i = 0; i < n; i++) slope[i] = x[i] * y[i];
  for (int i = 0; i < n; i++) {
    if (slope[i] < 0.55) break;
    y[i] += 0.2 * slope[i];
  }
})
EACH(constants, {
  for (int i = 0; i < n; i++) slope[i] = 0.25;
  for (int i = 0; i < n; i++) y[i] += 0.2 * slope[i] * x[i];
  for (int i = 0; i < n; i++) slope[i] = x[i] * y[i];
  for (int i = 0; i < n; i++) y[i] += 0.2 * slope[i];
})
/* Of several sums the least is taken: reversed loops that were not chosen are left out. */
EACH(unchosen, {
  for (int i = 0; i < n; i++) slope[i] = x[i] * y[i];
  double low = 3;
  for (int k = 0; k < 3; k++) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += slope[i] * x[(i + k) % N];
    if (sum < low) low = sum;
  }
  double sum = 0;
  for (int i = 0; i < n; i++) sum += slope[i] * slope[i];
  y[0] += 0.1 * (sum < low ? sum : low);
})
/* Two arrays that are the two halves of one, and change places. */
EACH(exchanged, {
  double *a = t % 2 ? slope : stage, *b = t % 2 ? stage : slope;
  for (int i = 0; i < n; i++) a[i] = x[i] * y[i];
  for (int i = 0; i < n; i++) y[i] += 0.2 * a[i] + 0.1 * b[i];
})
EACH(overlapping, {
  double *a = slope, *b = slope + n / 2;
  for (int i = 0; i < n - n / 2; i++) a[i] = x[i] * y[i];
  for (int i = 0; i < n - n / 2; i++) b[i] = x[i] + y[i];
  for (int i = 0; i < n; i++) y[i] += 0.2 * slope[i] * slope[i];
})

static NOINLINE void fill(double *a, const double *x, int n) {
  for (int i = 0; i < n; i++) a[i] = a[i] * 0.5 + x[i];
}
EACH(called, {
  for (int i = 0; i < n; i++) slope[i] = x[i] * y[i];
  for (int i = 0; i < n; i++) y[i] += 0.2 * slope[i];
  fill(slope, x, n);
  for (int i = 0; i < n; i++) y[i] += 0.2 * slope[i];
})

/* Locals, in float numbers, in nests. */
static double nested(const double *x) {
  double s = 0;
  for (int k = 0; k < COUNT(sizes); k++) {
    float row[N], sum = 0;
    for (int j = 0; j < 4; j++) {
      for (int i = 0; i < sizes[k]; i++) row[i] = (float)(x[i] * x[j]);
      for (int i = 0; i < sizes[k]; i++) sum += row[i] * row[i];
      for (int i = 0; i < sizes[k]; i++) row[i] = (float)(x[i] + j);
      for (int i = 0; i < sizes[k]; i++) sum += row[i] * (float)x[i];
    }
    s += sum;
  }
  return s;
}
static double nested_wide(const double *x) {
  double s = 0;
  for (int k = 0; k < COUNT(sizes); k++)
    for (int j = 0; j < 4; j++)
      for (int i = 0; i < sizes[k]; i++) s += x[i] * x[j] * x[i] * x[j] + (x[i] + j) * x[i];
  return s;
}
DERIVED(nested)

static double slope_of(const double *x) {
  double g[N] = {0}, s = 0;
#ifdef REFERENCE
  double h[N];
  memcpy(h, x, sizeof h);
  for (int i = 0; i < N; i++) {
    h[i] = x[i] + 1e-4;
    double up = plain(h);
    h[i] = x[i] - 1e-4;
    g[i] = (up - plain(h)) / 2e-4;
    h[i] = x[i];
  }
#else
  __enzyme_autodiff((void *)plain, x, g);
#endif
  for (int i = 0; i < N; i++) s += g[i] * (1 + 0.2 * i);
  return s;
}
DERIVED(slope_of)

int main(void) {
  double x[N];
  for (int i = 0; i < N; i++) x[i] = 0.62 + 0.05 * ((i * 7) % 12);
  CHECK_DERIVED(plain, x);
  CHECK_DERIVED(kept_first, x);
  CHECK_DERIVED(kept_last, x);
  CHECK_DERIVED(left_over, x);
  CHECK_DERIVED(only_some, x);
  CHECK_DERIVED(written_by_some, x);
  CHECK_DERIVED(other_guard, x);
  CHECK_DERIVED(stricter_guard, x);
  CHECK_DERIVED(looser_guard, x);
  CHECK_DERIVED(one_element, x);
  CHECK_DERIVED(downward, x);
  CHECK_DERIVED(twice, x);
  CHECK_DERIVED(shifted, x);
  CHECK_DERIVED(in_halves, x);
  CHECK_DERIVED(copied, x);
  CHECK_DERIVED(left_early, x);
  CHECK_DERIVED(constants, x);
  CHECK_DERIVED(unchosen, x);
  CHECK_DERIVED(exchanged, x);
  CHECK_DERIVED(overlapping, x);
  CHECK_DERIVED(called, x);
  CHECK_SINGLE(nested_wide, nested_gradient, nested_tangent, x);
  CHECK_ENGINE(CHECK_DERIVED(slope_of, x));
  return check_done();
}
