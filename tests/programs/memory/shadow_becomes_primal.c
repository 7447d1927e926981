/* What was the shadow in one call of a derivative is the primal in the next: in a loop, in a row, and in a derivative of
 * such a program. LLVM is told that the two are apart, which only holds within a call. */
#include "check.h"

#define N 6

static double energy(const double *x, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) s += x[i] * x[i] * x[i] / 3 + (i ? x[i] * x[i - 1] * 0.1 : 0);
  return s;
}
static void slope(const double *x, double *g, int n) {
  for (int i = 0; i < n; i++) g[i] = x[i] * x[i] + 0.1 * ((i ? x[i - 1] : 0) + (i + 1 < n ? x[i + 1] : 0));
}

/* x <- gradient(x), again and again, in two buffers that change places. */
static void iterate(double *x, double *y, int n, int rounds) {
  for (int round = 0; round < rounds; round++) {
    for (int i = 0; i < n; i++) y[i] = 0;
    __enzyme_autodiff((void *)energy, x, y, n);
    double *t = x;
    x = y, y = t;
  }
}
static void iterate_by_hand(double *x, double *y, int n, int rounds) {
  for (int round = 0; round < rounds; round++) {
    slope(x, y, n);
    double *t = x;
    x = y, y = t;
  }
}

/* The chain a[k+1] = gradient(a[k]) in one array. */
static void chain(double *a, int n, int links) {
  for (int k = 0; k < links; k++) __enzyme_autodiff((void *)energy, a + k * n, a + (k + 1) * n, n);
}

/* Two calls in a row, inlined into one function. */
static void twice(const double *x, double *dx, double *ddx) {
  __enzyme_autodiff((void *)energy, x, dx, N);
  __enzyme_autodiff((void *)energy, dx, ddx, N);
}

static double through(const double *x) {
  double a[N], b[N] = {0};
  for (int i = 0; i < N; i++) a[i] = x[i];
#ifdef REFERENCE
  slope(a, b, N);
#else
  __enzyme_autodiff((void *)energy, a, b, N);
#endif
  double s = 0;
  for (int i = 0; i < N; i++) s += b[i] * b[i] * a[i];
  return s;
}
DERIVED(through)

int main(void) {
  double x[N];
  for (int i = 0; i < N; i++) x[i] = 0.5 + 0.07 * i;
#ifndef REFERENCE
  for (int rounds = 1; rounds < 5; rounds++) {
    double a[2][N], b[2][N];
    memcpy(a[0], x, sizeof x);
    memcpy(b[0], x, sizeof x);
    iterate(a[0], a[1], N, rounds);
    iterate_by_hand(b[0], b[1], N, rounds);
    for (int i = 0; i < N; i++) check_value("swapped", a[rounds % 2][i], b[rounds % 2][i], 1e-12);
  }
  double links[5][N] = {{0}}, expected[N];
  memcpy(links[0], x, sizeof x);
  chain(links[0], N, 4);
  for (int k = 0; k < 4; k++) {
    slope(links[k], expected, N);
    for (int i = 0; i < N; i++) check_value("chain", links[k + 1][i], expected[i], 1e-12);
  }
  double dx[N] = {0}, ddx[N] = {0};
  twice(x, dx, ddx);
  slope(dx, expected, N);
  for (int i = 0; i < N; i++) check_value("twice", ddx[i], expected[i], 1e-12);
#endif
  CHECK_DERIVED(through, x);
  return check_done();
}
