/* Locals of functions that call themselves, which the reverse sweep looks at: they lie in the frame of the call. Arrays
 * that are filled by the call inside, overwritten behind it, needed on one way only or in a loop only, where what an
 * iteration left is read by the next one; pointers, addresses of their elements, functions that call each other, locals
 * that are too large, aligned further than a frame is, or of a size that is not known. */
#include "check.h"
#include <stdlib.h>
#include <string.h>

#define N 9

/* What a call finds goes to its caller's local, which is overwritten behind it. */
static NOINLINE void halves(const double *x, int a, int b, double *out) {
  if (b - a < 1) {
    out[0] = 0.5, out[1] = 0;
    return;
  }
  int m = (a + b) / 2;
  double l[2], r[2];
  halves(x, a, m, l);
  double first = l[0] * x[m];
  l[0] = sin(l[1]) + l[0] * l[0];
  halves(x, m + 1, b, r);
  out[0] = l[0] * r[0] * 0.3 + first, out[1] = x[m] * r[1] + l[1] + cos(r[0]);
  r[0] = r[1] = 0;
  l[0] = out[0] * out[1];
  out[1] += l[0] * 0.1;
}
static double of_halves(const double *x) {
  double out[2];
  halves(x, 0, N, out);
  return out[0] + out[1] * out[1];
}

/* A local that only a loop needs, whose iterations go on from what the one before left there. */
static NOINLINE double rows(double *x, int n) {
  if (n <= 0) return 1;
  double carried[3];
  double s = 0;
  carried[0] = carried[1] = 0.2, carried[2] = x[n];
  for (int i = 0; i < 3; i++) {
    double given[3];
    memcpy(given, carried, sizeof given);
    given[i] *= x[n - 1];
    s += rows(given, i < n - 3 ? i : n - 3) * carried[i];
    carried[(i + 1) % 3] += sin(given[i]) * s;
  }
  x[0] = x[0] * s + carried[0];
  return s * 0.5 + carried[1] * carried[2];
}
static double of_rows(const double *x) {
  double y[N + 1];
  memcpy(y, x, N * sizeof *y), y[N] = 0.3;
  double s = rows(y, N - 1);
  return s + y[0] * y[1];
}

/* Written in the loop only, first of all in its first round: the shadow is cleared once. */
static NOINLINE double late(const double *x, int n, int what) {
  double kept[4];
  double s = x[n] * 0.1;
  if (n == 0) return s;
  if (what & 1) s *= late(x, n - 1, what >> 1);
  for (int i = 0; i < 5; i++) {
    if (i == 0) memset(kept, 0, sizeof kept);
    kept[i % 4] += x[(n + i) % 4] * s;
    s += kept[(i + 2) % 4] * late(kept, n > 3 ? 1 : 0, what >> 1);
  }
  return s + late(x, n - 1, what >> 2);
}
static double of_late(const double *x) { return late(x, N - 1, 0x2d); }

int order[6] = {0, 1, 2, 3, 4, 5}; /* nobody knows that it stays so */

/* Addresses that the first round of a loop puts into a local and the others follow: what clears it stands in front. */
static NOINLINE double places(double *x, int n) {
  double *where[3];
  double s = 1;
  if (n < 1) return x[0];
  for (int i = 0; i < 6; i++) {
    if (order[i] == 0)
      for (int k = 0; k < 3; k++) where[k] = &x[(n + k) % N];
    *where[i % 3] += 0.1 * sin(s) * *where[(i + 1) % 3] + (i == 3 ? 0.1 * places(x, n - 2) : 0);
    s += 0.2 * *where[(i + 2) % 3];
    if (i == 4) where[1] = &s;
  }
  return s * 0.1 + places(x, n - 4);
}
static double of_places(const double *x) {
  double y[N];
  memcpy(y, x, sizeof y);
  return places(y, N - 1) + y[0] * y[4];
}

/* A list on the stack: each call has a node of its own, whose address the calls inside know. */
struct node {
  double value;
  struct node *before;
  double *where;
};
static NOINLINE double chain(double *x, int n, struct node *before) {
  struct node own = {x[n] * x[n], before, &x[n]};
  double s = 0;
  if (n == 0) {
    for (struct node *at = &own; at; at = at->before) s += at->value * *at->where, at->value *= 0.5;
    return s;
  }
  s = chain(x, n - 1, &own);
  *own.where = s * 0.1 + own.value;
  own.where = &x[n - 1];
  return s + own.value * *own.where;
}
static double of_chain(const double *x) {
  double y[N];
  memcpy(y, x, sizeof y);
  return chain(y, N - 1, 0) + y[2] * y[3];
}

/* Two that call each other, with a local each. */
static NOINLINE double odd(const double *x, int n, double *sum);
static NOINLINE double even(const double *x, int n, double *sum) {
  double own[1] = {x[n] * *sum};
  if (n < 1) return own[0];
  double s = odd(x, n - 1, own);
  *sum += own[0] * s;
  own[0] = 7;
  return s * own[0] * 0.1;
}
static NOINLINE double odd(const double *x, int n, double *sum) {
  double pair[2] = {sin(x[n]), *sum};
  if (n < 1) return pair[0] * pair[1];
  double s = even(x, n - 1, &pair[n & 1]);
  *sum = pair[0] * pair[1];
  return s + pair[1];
}
static double of_both(const double *x) {
  double sum = x[0];
  double s = even(x, N - 1, &sum);
  return s * sum;
}

/* Too large for a frame, aligned further than one, and of a size that hangs on the argument; and integers beside. */
static NOINLINE double sizes(const double *x, int n) {
  if (n == 0) return x[0];
  double large[200], close[4] __attribute__((aligned(64))), some[n + 4];
  int places[3] = {n % 4, (n + 2) % 4, (n * 3) % 4};
  for (int i = 0; i < 200; i++) large[i] = x[i % 4] * 0.01;
  for (int i = 0; i < 4; i++) close[i] = x[places[i % 3]];
  for (int i = 0; i < n + 4; i++) some[i] = x[i % 4] * close[i % 4];
  double a = sizes(large, n - 1), b = sizes(close, n > 3 ? 3 : n - 1), c = sizes(some, n - 1 < 4 ? n - 1 : 4);
  large[0] = close[0] = some[0] = 0;
  return a * 0.5 + b * c * 0.1 + large[n] * some[n] + close[places[0] % 4] * ((size_t)close % 64 == 0);
}
static double of_sizes(const double *x) { return sizes(x, 6); }

/* One way needs a local, others do not, and one of these is at the end of all; and early ends in a loop. */
static NOINLINE double ways(const double *x, int n, int which) {
  if (n < 0) return 1;
  if (which == 1) {
    double a[2] = {x[n], 2};
    for (int i = 0; i < 3; i++) {
      a[i & 1] *= ways(a, n > 1 ? 1 : -1, i);
      if (a[0] > 1.4) return a[0] * x[0];
    }
    return a[0] * a[1];
  }
  if (which == 2) {
    double b[2];
    b[1] = x[n] * 0.4;
    b[0] = ways(x, n - 1, 1) * b[1];
    double s = ways(b, 0, 0) * b[1];
    b[0] = b[1] = 0;
    return s;
  }
  return x[n] + ways(x, n - 1, 2) * ways(x, n - 2, n % 3);
}
static double of_ways(const double *x) { return ways(x, N - 1, 0) + ways(x, 4, 2); }

DERIVED(of_halves)
DERIVED(of_rows)
DERIVED(of_late)
DERIVED(of_places)
DERIVED(of_chain)
DERIVED(of_both)
DERIVED(of_sizes)
DERIVED(of_ways)

int main(void) {
  double x[N];
  for (int i = 0; i < N; i++) x[i] = 0.3 + 0.17 * ((i * 5) % N) - 0.05 * i;
  for (int round = 0; round < 3; round++) {
    CHECK_DERIVED(of_halves, x);
    CHECK_DERIVED(of_rows, x);
    CHECK_DERIVED(of_late, x);
    CHECK_DERIVED(of_places, x);
    CHECK_DERIVED(of_chain, x);
    CHECK_DERIVED(of_both, x);
    CHECK_DERIVED(of_sizes, x);
    CHECK_DERIVED(of_ways, x);
    for (int i = 0; i < N; i++) x[i] = 0.9 * x[i] - 0.03 * i;
  }
  return check_done();
}
