// The least and the largest of numbers, in loops of several blocks: where the number stands depends on a branch.
#include "check.h"

struct line {
  const double *base;
  long count, stride, others, far;
  int rank;
};

static __attribute__((noinline)) const double *place(const struct line *l, long i) {
  if (l->rank == 1) return l->base + i * l->stride;
  return l->base + i % l->count * l->stride + i / l->count % l->others * l->far;
}

static __attribute__((noinline)) double least(const struct line *l) {
  double found = 1e300;
  long n = l->rank == 1 ? l->count : l->count * l->others;
  for (long i = 0; i < n; ++i) {
    const double *at;
    if (l->rank == 1)
      at = l->base + i * l->stride;
    else
      at = l->base + i % l->count * l->stride + i / l->count % l->others * l->far;
    double v = *at;
    found = v < found ? v : found;
  }
  return found;
}

static double rows_least(const double *x) {
  double sum = 0;
  for (long i = 0; i < 4; ++i) {
    struct line l = {x + 6 * i, 6, 1, 1, 0, 1};
    sum += (i + 1) * least(&l);
  }
  return sum;
}

static double columns_least(const double *x) {
  double sum = 0;
  for (long i = 0; i < 6; ++i) {
    struct line l = {x + i, 4, 6, 1, 0, 1 + (i % 2 == 0)};
    sum += (i + 2) * least(&l) * least(&l);
  }
  return sum;
}

static double largest_of_either(const double *x) {
  double best = -1e300;
  for (long i = 0; i < 12; ++i) {
    double v;
    if (i % 3 == 1)
      v = x[2 * i] * x[i];
    else
      v = x[2 * i] + x[2 * i + 1];
    best = v > best ? v : best;
  }
  return best;
}

static double until(const double *x) {
  double best = x[0] * x[0];
  long i = 1;
  do {
    double v = x[i];
    if (v > 0.5) v = v * v;
    if (i % 5 == 2) v += x[23 - i];
    best = best < v ? best : v;
    i += 1 + (x[i] > 0.3);
  } while (i < 23);
  return best;
}

static double by_call(const double *x) {
  struct line l = {x, 6, 1, 4, 6, 2};
  double best = 1e300;
  for (long i = 0; i < 24; ++i) {
    double v = *place(&l, i);
    v = v > 0.7 ? 2 * v : v * v;
    best = v < best ? v : best;
  }
  return best;
}

DERIVED(rows_least)
DERIVED(columns_least)
DERIVED(largest_of_either)
DERIVED(until)
DERIVED(by_call)

int main(void) {
  double x[24];
  for (int round = 0; round < 4; ++round) {
    for (int i = 0; i < 24; ++i) x[i] = 0.1 + ((i * 7 + round * 5) % 24) * 0.035 + 0.001 * i;
    CHECK_DERIVED(rows_least, x);
    CHECK_DERIVED(columns_least, x);
    CHECK_DERIVED(largest_of_either, x);
    CHECK_DERIVED(until, x);
    CHECK_DERIVED(by_call, x);
  }
  return check_done();
}
