/* Loops that choose one iteration: the last one taken, the first, none, ties, choices inside choices, loops that run no
   time, and loops that only look like such. */
#include "check.h"

#define K 4
#define D 3
#define N (K * D + D)

static double distance(const double *a, const double *b, int d) {
  double sum = 0;
  for (int i = 0; i < d; i++) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return sum;
}

/* What the loop begins with is active, and stays where nothing is nearer. */
static double from(double begin, const double *x, const double *at, int k, int d) {
  double least = begin;
  for (int c = 0; c < k; c++) {
    double apart = distance(x + c * d, at, d);
    least = apart < least ? apart : least;
  }
  return least;
}
static double begins(const double *x) {
  const double *at = x + K * D;
  double all = 0;
  for (int k = 0; k <= K; k++) /* none to all, so that places on the tape move by different amounts */
    all += (1 + k) * from(1e-3 * x[k], x, at, k, D) + sin(from(50 * (x[k] + 1), x, at, k, D)) +
           from(x[0] * x[1] + 0.4, x, at, k, D);
  return all;
}

/* Kept in each iteration, and used nowhere but there. */
static double keeps(const double *x) {
  const double *at = x + K * D;
  double all = 0;
  for (int round = 0; round < 3; round++) {
    double best = -1;
    for (int c = 0; c < K - round; c++) {
      double value = exp(-distance(x + c * D, at, D)) * sqrt(1 + x[c] * x[c]);
      best = value >= best ? value : best;
    }
    all += best * best * (1 + round);
  }
  return all;
}

/* The inner loops keep what they overwrite: their places on the tape move in every iteration. */
static double keeps_inside(const double *x) {
  double all = 0, scratch[D];
  for (int round = 0; round < 2; round++) {
    double best = 1e9;
    for (int c = 0; c < K; c++) {
      double power = 1 + round;
      for (int i = 0; i <= c % D; i++) power *= sin(x[c * D + i]) + 1.5;
      for (int i = 0; i < D; i++) power = power * 0.9 + cos(power * x[i]);
      best = power < best ? power : best;
    }
    scratch[round] = best;
    all += best * scratch[0];
  }
  return all;
}

/* The least of the greatest. */
static double in_each_other(const double *x) {
  const double *at = x + K * D;
  double least = 1e9;
  for (int c = 0; c < K; c++) {
    double greatest = -1;
    for (int e = 0; e < K; e++) {
      double apart = distance(x + c * D, x + e * D, D) + 0.1 * distance(x + e * D, at, D);
      greatest = apart > greatest ? apart : greatest;
    }
    least = greatest < least ? greatest : least;
  }
  return least * least;
}

/* A constant is taken, or something is left behind it; the carried number is used, changed, or leaves by another way. */
static double constants(const double *x) {
  double value = x[0] * x[1], late = x[2], before = 0, faded = 1;
  for (int c = 0; c < K; c++) {
    double apart = distance(x + c * D, x + K * D, D);
    value = apart > 0.9 ? 2.5 : value;
    before = late;
    late = apart < 0.5 ? apart : late;
    faded = apart < 0.6 ? apart : 0.5 * faded;
  }
  return value * x[3] + late * before + faded;
}
static double left_early(const double *x) {
  double best = 30;
  for (int c = 0; c < K; c++) {
    double apart = distance(x + c * D, x + K * D, D);
    best = apart < best ? apart : best;
    if (best < 0.35) break;
  }
  return best * best;
}
static double counted(const double *x) { /* and what is written in each iteration */
  double best = 30, wrote[K];
  for (int c = 0; c < K; c++) {
    double apart = distance(x + c * D, x + K * D, D);
    wrote[c] = apart * x[c];
    best = apart < best ? apart : best;
  }
  return best + wrote[0] * wrote[K - 1];
}

/* Called, so that both sweeps are functions of their own. */
static NOINLINE double apart_from(const double *x, int k) { return from(20, x, x + K * D, k, D); }
static double called(const double *x) {
  double all = 1;
  for (int k = 1; k <= K; k++) all *= 1 + apart_from(x, k);
  return all;
}

#define CASE(fn)                                                                                                       \
  static void fn##_gradient(const double *x, double *g) { __enzyme_autodiff((void *)fn, enzyme_dup, x, g); }           \
  static double fn##_tangent(const double *x, const double *v) {                                                       \
    return __enzyme_fwddiff((void *)fn, enzyme_dup, x, v);                                                             \
  }
CASE(begins)
CASE(keeps)
CASE(keeps_inside)
CASE(in_each_other)
CASE(constants)
CASE(left_early)
CASE(counted)
CASE(called)

/* Derivatives of a product with the gradient. */
#ifndef REFERENCE
#define TWICE(fn)                                                                                                      \
  static double fn##_product(const double *x) {                                                                        \
    double g[N] = {0}, sum = 0;                                                                                        \
    fn##_gradient(x, g);                                                                                               \
    for (int i = 0; i < N; i++) sum += g[i] * (1 + 0.1 * i);                                                           \
    return sum;                                                                                                        \
  }                                                                                                                    \
  CASE(fn##_product)
TWICE(begins)
TWICE(keeps)
TWICE(in_each_other)
#endif

int main(void) {
  double x[N];
  for (int turn = 0; turn < 3; turn++) { /* the nearest is the first, the last, one in between */
    for (int i = 0; i < N; i++) x[i] = 0.5 + 0.3 * sin(2.3 * i + 1.7 * turn);
    for (int i = 0; i < D; i++) x[(turn * 2 % K) * D + i] += 0.7 * (x[K * D + i] - x[(turn * 2 % K) * D + i]);
    CHECK(begins, begins_gradient, begins_tangent, x);
    CHECK(keeps, keeps_gradient, keeps_tangent, x);
    CHECK(keeps_inside, keeps_inside_gradient, keeps_inside_tangent, x);
    CHECK(in_each_other, in_each_other_gradient, in_each_other_tangent, x);
    CHECK(constants, constants_gradient, constants_tangent, x);
    CHECK(left_early, left_early_gradient, left_early_tangent, x);
    CHECK(counted, counted_gradient, counted_tangent, x);
    CHECK(called, called_gradient, called_tangent, x);
#ifndef REFERENCE
    CHECK(begins_product, begins_product_gradient, begins_product_tangent, x);
    CHECK(keeps_product, keeps_product_gradient, keeps_product_tangent, x);
    CHECK(in_each_other_product, in_each_other_product_gradient, in_each_other_product_tangent, x);
#endif
  }
#ifndef REFERENCE
  /* Ties: the first of equals for <, the last for >=; what is not a number is not taken. */
  double g[N] = {0}, h[N] = {0};
  for (int i = 0; i < N; i++) x[i] = 0.5;
  for (int i = 0; i < D; i++) x[K * D + i] = 0;
  __enzyme_autodiff((void *)apart_from, enzyme_dup, x, g, K);
  for (int i = 0; i < K * D; i++) check_close("first of equals", i, g[i], i < D ? 2 * x[i] : 0, 1e-14);
  keeps_gradient(x, h);
  check_close("last of equals", 0, h[0], 0, 0);
  check_close("last of equals", 1, h[3 * D + 1] != 0 && h[2 * D + 1] != 0, 1, 0);
  x[0] = NAN;
  double odd[N] = {0};
  __enzyme_autodiff((void *)apart_from, enzyme_dup, x, odd, K);
  for (int i = D; i < K * D; i++) check_close("not a number", i, odd[i], i < 2 * D ? 2 * x[i] : 0, 1e-14);
#endif
  return check_done();
}
