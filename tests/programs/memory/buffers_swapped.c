/* Buffers that take turns: products of matrices, sums over neighbours and tables, from one buffer into another, which are
 * swapped after each step, all of them or in some steps only; two and three of them; parts of one array, one buffer under two
 * names, and one that is written twice in a step. What is read of a buffer in one step is overwritten in the next. */
// heavy: many loops, which become several for vectors
#include "check.h"

#define N 16
#define M 4

int steps = 5; /* nobody knows that it stays so */

static NOINLINE double *filled(const double *x, double by) {
  double *a = (double *)malloc(N * sizeof(double));
  for (int i = 0; i < N; i++) a[i] = x[i] * by;
  return a;
}
static double sum_of(const double *a) {
  double s = 0;
  for (int i = 0; i < N; i++) s += a[i] * a[i] * (1 + 0.1 * i);
  return s;
}
/* c = f(a b), row by row, and what it keeps of a is the same for all columns. */
#define PRODUCT(c, a)                                                                     \
  for (int i = 0; i < M; i++)                                                             \
    for (int j = 0; j < M; j++) {                                                         \
      double s = 0;                                                                       \
      for (int k = 0; k < M; k++) s += (a)[i * M + k] * (a)[i * M + k] * b[k * M + j];    \
      (c)[i * M + j] = s / (1 + s * s);                                                   \
    }
#define SWAP(a, c) { double *kept = a; a = c, c = kept; }

static double two(const double *x) {
  double *a = filled(x, 1), *b = filled(x, 0.5), *c = filled(x, 0.2);
  for (int t = 0; t < steps; t++) {
    PRODUCT(c, a)
    SWAP(a, c)
  }
  double s = sum_of(a) + 0.3 * sum_of(c);
  free(a), free(b), free(c);
  return s;
}
static double three(const double *x) {
  double *a = filled(x, 1), *b = filled(x, 0.5), *c = filled(x, 0.2), *d = filled(x, 0.1);
  for (int t = 0; t < steps; t++) {
    PRODUCT(c, a)
    for (int i = 0; i < N; i++) c[i] += 0.2 * d[i] * a[i];
    double *kept = d;
    d = a, a = c, c = kept;
  }
  double s = sum_of(a) + 0.3 * sum_of(c) + 0.1 * sum_of(d);
  free(a), free(b), free(c), free(d);
  return s;
}
/* In some steps they stay where they are: what was written is written again. */
static double sometimes(const double *x) {
  double *a = filled(x, 1), *b = filled(x, 0.5), *c = filled(x, 0.2);
  for (int t = 0; t < steps; t++) {
    PRODUCT(c, a)
    if (t % 3 != 1) SWAP(a, c)
  }
  double s = sum_of(a) + 0.3 * sum_of(c);
  free(a), free(b), free(c);
  return s;
}
/* One buffer is handed on and the other is not: after one step both are the same. */
static double lost(const double *x) {
  double *a = filled(x, 1), *b = filled(x, 0.5), *c = filled(x, 0.2), *first = a;
  for (int t = 0; t < steps; t++) {
    PRODUCT(c, a)
    a = c;
  }
  double s = sum_of(a) + 0.3 * sum_of(first);
  free(first), free(b), free(c);
  return s;
}
/* Parts of one array, apart and not, and the same under two names. */
static double parts(const double *x, int by) {
  double *all = (double *)malloc((2 * N + 4) * sizeof(double)), *b = filled(x, 0.5);
  for (int i = 0; i < 2 * N + 4; i++) all[i] = x[i % N] * 0.9;
  double *a = all, *c = all + by;
  for (int t = 0; t < steps; t++) {
    PRODUCT(c, a)
    SWAP(a, c)
  }
  double s = sum_of(a) + 0.3 * sum_of(c);
  free(all), free(b);
  return s;
}
static double halves(const double *x) { return parts(x, N); }
static double overlapping(const double *x) { return parts(x, 3); }
static double same(const double *x) { return parts(x, 0); }
/* Buffers that a caller hands over, who may hand over what it likes. */
static NOINLINE double *stepped(double *a, double *c, const double *b, int n) {
  for (int t = 0; t < n; t++) {
    PRODUCT(c, a)
    SWAP(a, c)
  }
  return a;
}
static double handed(const double *x) {
  double *a = filled(x, 1), *b = filled(x, 0.5), *c = filled(x, 0.2);
  double s = sum_of(stepped(a, c, b, steps)) + sum_of(a) + sum_of(stepped(c, c, b, 1));
  free(a), free(b), free(c);
  return s;
}
/* Two at a time, in loops in loops, and locals of the function. */
static double inside(const double *x) {
  double u[N], v[N], *p = u, *q = v, b[N];
  for (int i = 0; i < N; i++) u[i] = x[i], v[i] = 0.1 * x[i], b[i] = 0.4 * x[N - 1 - i];
  for (int r = 0; r < 2; r++) {
    for (int t = 0; t < steps; t++) {
      for (int i = 0; i < N; i++) {
        double s = 0;
        for (int k = 0; k < N; k++) s += 0.1 * p[k] * p[(k + i) % N] * b[k];
        q[i] = sin(s) + 0.5 * p[i];
      }
      SWAP(p, q)
    }
    for (int i = 0; i < N; i++) p[i] += 0.3 * q[i] * q[i];
  }
  return sum_of(p) + 0.2 * sum_of(q);
}
/* Written twice in one step, the second time from what has been written first. */
static double back_and_forth(const double *x) {
  double *a = filled(x, 1), *b = filled(x, 0.5), *c = filled(x, 0.2);
  for (int t = 0; t < steps; t++) {
    PRODUCT(c, a)
    PRODUCT(a, c)
    SWAP(a, c)
  }
  double s = sum_of(a) + 0.3 * sum_of(c);
  free(a), free(b), free(c);
  return s;
}
DERIVED(two)
DERIVED(three)
DERIVED(sometimes)
DERIVED(lost)
DERIVED(halves)
DERIVED(overlapping)
DERIVED(same)
DERIVED(handed)
DERIVED(inside)
DERIVED(back_and_forth)

int main(void) {
  double x[N];
  for (int i = 0; i < N; i++) x[i] = 0.8 + 0.5 * sin(1.7 * i + 0.4);
#define EACH(f) CHECK_DERIVED(f, x)
  EACH(two); EACH(three); EACH(sometimes); EACH(lost); EACH(halves); EACH(overlapping); EACH(same); EACH(handed);
  EACH(inside); EACH(back_and_forth);
  return check_done();
}
