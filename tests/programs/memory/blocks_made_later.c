/* Blocks that are allocated one after the other, each filled from the one before: what has been read of one no later
 * write changes, for that goes to another block. Beside them what looks alike: blocks used again, on some rounds or
 * always, addresses that are put into a table and found there again, copies of tables, blocks that are grown or freed. */
// heavy: many loops, which become several for vectors
#include "check.h"
#include <stdlib.h>
#include <string.h>

#define N 12
#define T 9

static volatile int steps = T, width = N; /* nobody knows that */

static void advance(double *to, const double *from, const double *x, int t, int n) {
  for (int i = 0; i < n; i++) {
    double v = x[(i + t) % N];
    for (int j = 0; j < n; j++) v += 0.3 * x[(i * j) % N] * from[j];
    to[i] = tanh(v);
  }
}

/* Each step has a block of its own, in a table; freed behind all. */
static NOINLINE double table(const double *x) {
  int n = width, rounds = steps;
  double **h = (double **)malloc((rounds + 1) * sizeof *h), s = 0;
  h[0] = (double *)calloc(n, sizeof(double));
  for (int t = 0; t < rounds; t++) {
    h[t + 1] = (double *)malloc(n * sizeof(double));
    for (int i = 0; i < n; i++) {
      double v = x[(i + t) % N];
      for (int j = 0; j < n; j++) v += 0.3 * x[(i * j) % N] * h[t][j];
      h[t + 1][i] = tanh(v);
    }
    s += h[t + 1][0] * h[t + 1][1];
  }
  for (int t = 0; t <= rounds; t++) free(h[t]);
  free(h);
  return s;
}

/* The block before is freed as soon as the next one is there: the program gets the same two in turns. */
static NOINLINE double freed_early(const double *x) {
  int n = width;
  double *old = (double *)calloc(n, sizeof(double)), s = 0;
  for (int t = 0; t < steps; t++) {
    double *next = (double *)malloc(n * sizeof(double));
    advance(next, old, x, t, n);
    free(old);
    for (int i = 0; i < n; i++) s += next[i] * next[(i + 1) % n] * 0.1;
    old = next;
  }
  s += old[1];
  free(old);
  return s;
}

/* Some rounds write where they read, in the block of the round before. */
static double some_again(const double *x) {
  int n = width, rounds = steps;
  double **h = (double **)malloc((rounds + 1) * sizeof *h), s = 0;
  h[0] = (double *)calloc(n, sizeof(double));
  for (int t = 0; t < rounds; t++) {
    double *made = (double *)malloc(n * sizeof(double));
    h[t + 1] = t % 3 == 1 ? h[t] : made;
    double *to = h[t + 1];
    for (int i = 0; i < n; i++) {
      double v = x[(i + t) % N];
      for (int j = 0; j < n; j++) v += 0.2 * x[(i * j) % N] * h[t][j];
      to[i] = sin(v);
    }
    if (t % 3 == 1) free(made);
    s += to[0] * to[1];
  }
  for (int t = 0; t <= rounds; t++) if (t == 0 || h[t] != h[t - 1]) free(h[t]);
  free(h);
  return s;
}

/* The address is put into a table first, and what is read comes from there: sometimes the same block. */
static double found_again(const double *x) {
  int n = width, rounds = steps;
  double *at[T + 1], s = 0;
  for (int t = 0; t <= T; t++) at[t] = NULL;
  double *first = (double *)malloc(n * sizeof(double));
  for (int i = 0; i < n; i++) first[i] = x[i % N];
  at[0] = first;
  for (int t = 0; t < rounds; t++) {
    double *made = (double *)malloc(n * sizeof(double));
    at[t + 1] = made;
    memcpy(made, at[t], n * sizeof(double));
    const double *from = at[(t * 5) % (t + 2)]; /* at most t + 1: the new one, at times */
    for (int i = 0; i < n; i++) {
      double v = 0.5;
      for (int j = 0; j < n; j++) v += from[j] * x[(i + j) % N] * 0.2;
      made[i] = made[i] * cos(v);
    }
    s += made[t % n] * from[1];
  }
  for (int t = 0; t <= rounds; t++) free(at[t]);
  return s;
}

/* The table is copied while it is filled, and the copy is read. */
static double copied_table(const double *x) {
  int n = width, rounds = steps;
  double **a = (double **)calloc(rounds + 2, sizeof *a), **b = (double **)calloc(rounds + 2, sizeof *b), s = 0;
  a[0] = (double *)calloc(n, sizeof(double));
  for (int i = 0; i < n; i++) a[0][i] = 0.1 * i;
  for (int t = 0; t < rounds; t++) {
    double *made = (double *)malloc(n * sizeof(double));
    for (int i = 0; i < n; i++) made[i] = x[i] * 0.4;
    a[t + 1] = made;
    memcpy(b, a, (rounds + 1) * sizeof *a);
    const double *from = b[t + (t & 1)];
    for (int i = 0; i < n; i++) {
      double v = 0.3;
      for (int j = 0; j < n; j++) v += from[j] * x[(i + 2 * j) % N] * 0.3;
      made[i] += v * from[i];
    }
    s += made[0] + made[n - 1] * made[1];
  }
  for (int t = 0; t <= rounds; t++) free(a[t]);
  free(a), free(b);
  return s;
}

/* Grown in place, or moved: what was read lies in the same block. */
static double grown(const double *x) {
  int n = width;
  double *h = (double *)malloc(n * sizeof(double)), s = 0;
  for (int i = 0; i < n; i++) h[i] = x[i];
  for (int t = 0; t < steps; t++) {
    double *made = (double *)realloc(h, (n + t + 1) * sizeof(double));
    for (int i = 0; i < n; i++) {
      double v = 0;
      for (int j = 0; j < n; j++) v += made[j] * x[(i + j) % N] * 0.1;
      made[i] = sin(v) + 0.5 * made[i];
    }
    made[n + t] = s;
    s += made[t] * made[t + 1];
    h = made;
  }
  free(h);
  return s;
}

/* A function keeps the address in a struct, and gives one of two. */
struct pair { double *one, *other; };
static NOINLINE void keep(struct pair *p, double *made, int t) {
  if (t & 1) p->other = p->one;
  p->one = made;
}
static double kept(const double *x) {
  int n = width;
  struct pair p;
  double s = 0;
  p.one = (double *)calloc(n, sizeof(double)), p.other = (double *)calloc(n, sizeof(double));
  for (int i = 0; i < n; i++) p.one[i] = x[i], p.other[i] = x[n - 1 - i];
  double *blocks[T + 2] = {p.one, p.other};
  for (int t = 0; t < steps; t++) {
    double *made = (double *)malloc(n * sizeof(double)), *before = p.one;
    for (int i = 0; i < n; i++) made[i] = 0.2 * before[i];
    if (t % 3) keep(&p, made, t);
    const double *from = p.one; /* the new one, or that before */
    for (int i = 0; i < n; i++) {
      double v = 0.1;
      for (int j = 0; j < n; j++) v += from[j] * p.other[j] * x[(i + j) % N] * 0.2;
      made[i] = v + made[i] * from[i];
    }
    if (t % 3 == 0) keep(&p, made, t);
    s += made[1] * made[2] + p.other[0];
    blocks[t + 2] = made;
  }
  for (int t = 0; t < T + 2; t++) free(blocks[t]);
  return s;
}

/* Two tables in turns, and the row before the last. */
static double two_back(const double *x) {
  int n = width, rounds = steps;
  double **h = (double **)malloc((rounds + 2) * sizeof *h), s = 0;
  for (int t = 0; t < 2; t++) {
    h[t] = (double *)malloc(n * sizeof(double));
    for (int i = 0; i < n; i++) h[t][i] = x[(i + t) % N];
  }
  for (int t = 2; t < rounds + 2; t++) {
    double *now = h[t] = (double *)malloc(n * sizeof(double));
    const double *one = h[t - 1], *two = h[t - 2];
    for (int i = 0; i < n; i++) {
      double v = 0;
      for (int j = 0; j < n; j++) v += x[(i + j) % N] * (one[j] - 0.5 * two[j]);
      now[i] = 1.5 * one[i] - two[i] * 0.8 + 0.05 * v * one[i];
    }
    for (int i = 0; i < n; i++) s += now[i] * one[i] * 0.1;
  }
  for (int t = 0; t < rounds + 2; t++) free(h[t]);
  free(h);
  return s;
}

/* Both in calls whose reverse comes later, with numbers that are made of the first one's result. */
static double in_calls(const double *x) {
  double a = freed_early(x), b = table(x), y[N];
  for (int i = 0; i < N; i++) y[i] = 0.5 * x[i] + 0.1 * a * b;
  return a * a + freed_early(y) * b + table(y) * a;
}

DERIVED(table)
DERIVED(freed_early)
DERIVED(some_again)
DERIVED(found_again)
DERIVED(copied_table)
DERIVED(grown)
DERIVED(kept)
DERIVED(two_back)
DERIVED(in_calls)

int main(void) {
  double x[N];
  for (int i = 0; i < N; i++) x[i] = 0.35 + 0.25 * sin(1.3 * i + 0.4);
  for (int round = 0; round < 2; round++) {
    CHECK_DERIVED(table, x);
    CHECK_DERIVED(freed_early, x);
    CHECK_DERIVED(some_again, x);
    CHECK_DERIVED(found_again, x);
    CHECK_DERIVED(copied_table, x);
    CHECK_DERIVED(grown, x);
    CHECK_DERIVED(kept, x);
    CHECK_DERIVED(two_back, x);
    CHECK_DERIVED(in_calls, x);
    for (int i = 0; i < N; i++) x[i] = 0.7 * x[i] - 0.02 * i;
  }
  return check_done();
}
