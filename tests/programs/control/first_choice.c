/* What loops that choose one of their iterations begin with comes out of a loop itself: it is reversed where none of the
   iterations was taken. It may be used otherwise, too, go through arithmetic, or through one choosing loop to the next. */
#include "check.h"

#define K 5
#define D 3
#define N (K * D + D)

static double distance(const double *a, const double *b, int d) {
  double sum = 0;
  for (int i = 0; i < d; i++) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return sum;
}

static double nearest(const double *x, const double *at, int k, int d) {
  double least = distance(x, at, d);
  for (int c = 1; c < k; c++) {
    double apart = distance(x + c * d, at, d);
    if (apart < least) least = apart;
  }
  return least;
}
static double many(const double *x) {
  double all = 0;
  for (int k = 1; k <= K; k++) /* loops of no iteration among them */
    for (int i = 0; i < K; i++) all += (1 + k) * nearest(x, x + i * D, k, D) + nearest(x + D, x + (i + 1) * D, K - k, D);
  return all;
}

/* The first is used behind the loop, too, or in front of it, or stored. */
static double also(const double *x) {
  const double *at = x + K * D;
  double all = 0, kept[2];
  for (int round = 0; round < 2; round++) {
    double first = distance(x + round * D, at, D), least = first;
    kept[round] = first;
    for (int c = 0; c < K; c++) {
      double apart = distance(x + c * D, at, D) + 0.01 * c * round;
      least = apart < least ? apart : least;
    }
    all += least * (1 + round) + (round ? first * first : 0);
  }
  return all * kept[0];
}

/* It goes through functions and through a choice of its own first. */
static double through(const double *x) {
  const double *at = x + K * D;
  double all = 0;
  for (int round = 0; round < 3; round++) {
    double one = sqrt(0.1 + distance(x, at, D)), other = exp(-distance(x + round * D, at, D));
    double best = one > other + 0.31 * round ? one : other;
    for (int c = 0; c < K; c++) {
      double apart = distance(x + c * D, at, D);
      best = 1.13 * apart >= best ? 1.13 * apart : best;
    }
    all += best * best;
  }
  return all;
}

/* From one choosing loop to the next, and inside of one another. */
static double chained(const double *x) {
  const double *at = x + K * D;
  double best = distance(x, at, D);
  for (int c = 1; c < 3; c++) {
    double apart = distance(x + c * D, at, D);
    best = apart < best ? apart : best;
  }
  for (int c = 3; c < K; c++) {
    double apart = distance(x + c * D, at, D);
    best = apart < best ? apart : best;
  }
  double greatest = best;
  for (int e = 0; e < K; e++) {
    double least = distance(x + e * D, x, D) + distance(x + e * D, at, D);
    for (int c = 1; c < K; c++) {
      double apart = distance(x + c * D, x + e * D, D) + 0.2 * distance(x + c * D, at, D);
      least = apart < least ? apart : least;
    }
    greatest = least > greatest ? least : greatest;
  }
  return best * greatest;
}

/* Loops that overwrite what they need: it is on the tape. */
static double kept(const double *x) {
  double all = 0;
  for (int round = 0; round < 3; round++) {
    double best = 1 + round;
    for (int i = 0; i < D; i++) best = best * 0.9 + cos(best * x[i + round]);
    for (int c = 0; c < K; c++) {
      double apart = distance(x + c * D, x + K * D, D);
      best = apart < best ? apart : best;
    }
    all += best * (2 + round);
  }
  return all;
}

DERIVED(many)
DERIVED(also)
DERIVED(through)
DERIVED(chained)
DERIVED(kept)

#ifndef REFERENCE
#define TWICE(fn)                                                        \
  static double fn##_product(const double *x) {                          \
    double g[N] = {0}, sum = 0;                                          \
    fn##_gradient(x, g);                                                 \
    for (int i = 0; i < N; i++) sum += g[i] * (1 + 0.1 * i);             \
    return sum;                                                          \
  }                                                                      \
  DERIVED(fn##_product)
TWICE(many)
TWICE(also)
TWICE(through)
TWICE(chained)
#endif

int main(void) {
  double x[N];
  for (int turn = 0; turn < K; turn++) { /* the nearest is the first, the last, one in between */
    for (int i = 0; i < N; i++) x[i] = 0.5 + 0.3 * sin(2.3 * i + 1.7 * turn);
    for (int i = 0; i < D; i++) x[turn * D + i] += 0.7 * (x[K * D + i] - x[turn * D + i]);
    CHECK_DERIVED(many, x);
    CHECK_DERIVED(also, x);
    CHECK_DERIVED(through, x);
    CHECK_DERIVED(chained, x);
    CHECK_DERIVED(kept, x);
#ifndef REFERENCE
    CHECK_DERIVED(many_product, x);
    CHECK_DERIVED(also_product, x);
    CHECK_DERIVED(through_product, x);
    CHECK_DERIVED(chained_product, x);
#endif
  }
#ifndef REFERENCE
  /* Where all are as far, the first is taken; where the first is not a number, nothing else is. */
  double g[N] = {0}, h[N] = {0};
  for (int i = 0; i < N; i++) x[i] = i < K * D ? 0.5 : 0;
  __enzyme_autodiff((void *)nearest, enzyme_dup, x, g, enzyme_const, x + K * D, K, D);
  for (int i = 0; i < K * D; i++) check_close("first of equals", i, g[i], i < D ? 2 * x[i] : 0, 1e-14);
  x[0] = NAN;
  __enzyme_autodiff((void *)nearest, enzyme_dup, x, h, enzyme_const, x + K * D, K, D);
  for (int i = D; i < K * D; i++) check_close("not a number", i, h[i], 0, 0);
  check_close("not a number", 0, h[0] != h[0], 1, 0);
#endif
  return check_done();
}
