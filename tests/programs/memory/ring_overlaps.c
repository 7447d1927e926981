/* Rings whose neighbours are loaded by themselves, written to arrays that may be the same one: not at all, beside it, by
 * so many elements that the store of one iteration is what the first or the last one loads; forwards, backwards, over
 * two elements, and in rows. */
#include "check.h"

#define N 24
#define W (3 * N)

static volatile int length = N, shift = 0; /* nobody knows these */

static NOINLINE void step(int n, const double *u, double *v) {
  for (int i = 0; i < n; i++) {
    int left = i == 0 ? n - 1 : i - 1, right = i == n - 1 ? 0 : i + 1;
    v[i] = 0.5 * u[i] + 0.2 * u[left] * u[right];
  }
}
static double forwards(const double *x) {
  int n = length;
  double u[W], s = 0;
  for (int i = 0; i < W; i++) u[i] = x[i % N] * (1 + 0.01 * i);
  for (int t = 0; t < 3; t++) step(n, u + N, u + N + shift);
  for (int i = 0; i < W; i++) s += u[i] * u[i] / (1 + i);
  return s;
}

static NOINLINE void back(int n, const double *u, double *v, double *w) {
  for (int i = n - 1; i >= 0; i--) {
    int left = i == 0 ? n - 1 : i - 1, right = i == n - 1 ? 0 : i + 1;
    v[i] = u[left] * 0.3 + u[i] * u[right];
    w[n - 1 - i] += 0.1 * v[i] * u[left];
  }
}
static double backwards(const double *x) {
  int n = length;
  double u[W], w[W], s = 0;
  for (int i = 0; i < W; i++) u[i] = w[i] = x[i % N] * (1 - 0.01 * i);
  back(n, u + N, u + N + shift, w + N);
  back(n, w + N - shift, w + N, u + N);
  for (int i = 0; i < W; i++) s += u[i] * u[i] / (1 + i) + w[i];
  return s;
}

static NOINLINE void mirrored(long n, const double *u, double *v) {
  for (long i = n - 1; i >= 0; i--) {
    long left = i == 0 ? n - 1 : i - 1;
    v[i] = u[i] * u[left] / (1 + u[i] * u[i]) + 0.3 * u[left];
  }
}
static double mirror(const double *x) {
  long n = length;
  double u[W], s = 0;
  for (int i = 0; i < W; i++) u[i] = x[i % N] * (1 + 0.01 * i);
  mirrored(n, u + N, u + N + shift);
  mirrored(n, u + N + shift, u + N);
  for (int i = 0; i < W; i++) s += u[i] * u[i] / (1 + i);
  return s;
}

/* Two places are written in each iteration, every second one, and one that stays. */
static NOINLINE void pairs(int n, const double *u, double *v, double *last) {
  for (int i = 0; i < n; i++) {
    int left = i == 0 ? n - 1 : i - 1;
    v[2 * i] = u[i] * u[left];
    v[2 * i + 1] = u[i] - u[left];
    *last = u[left] * 0.5;
  }
}
static double strided(const double *x) {
  int n = length / 2;
  double u[W], s = 0;
  for (int i = 0; i < W; i++) u[i] = x[i % N] * (1 + 0.02 * i);
  pairs(n, u + N, u + N + shift, u + N + n - 1);
  pairs(n, u + N, u + N - shift, u + 1);
  for (int i = 0; i < W; i++) s += u[i] * u[i] / (1 + i);
  return s;
}

/* Rows, each of which is a ring. */
static NOINLINE void rows(int m, int n, const double *u, double *v) {
  for (int j = 0; j < m; j++)
    for (int i = 0; i < n; i++) {
      int left = (i == 0 ? n - 1 : i - 1) + j * n, right = (i == n - 1 ? 0 : i + 1) + j * n;
      v[j * n + i] = u[left] / (1 + u[left] * u[left]) + 0.3 * u[right] / (1 + u[j * n + i] * u[j * n + i]);
    }
}
static double torus(const double *x) {
  int n = length, m = 2;
  double u[2 * W], s = 0;
  for (int i = 0; i < 2 * W; i++) u[i] = x[i % N] * (1 + 0.01 * i);
  rows(m, n, u + N, u + N + shift);
  rows(m, n, u + N, u + N + 2 * n);
  for (int i = 0; i < 2 * W; i++) s += u[i] * u[i] / (1 + i);
  return s;
}

DERIVED(forwards)
DERIVED(backwards)
DERIVED(mirror)
DERIVED(strided)
DERIVED(torus)

int main(void) {
  static const int lengths[] = {24, 23, 12, 9};
  for (int k = 0; k < COUNT(lengths); k++)
    for (int by = -1; by <= 6; by++) {
      double x[N];
      static const int shifts[] = {0, 1, 2, -1, -2};
      length = lengths[k];
      shift = by < 0 ? N : by < 5 ? shifts[by] : by == 5 ? length - 1 : -(length - 1);
      for (int i = 0; i < N; i++) x[i] = 0.45 + 0.3 * sin(1.7 * i + 0.3 + k);
      CHECK_DERIVED(forwards, x);
      CHECK_DERIVED(backwards, x);
      CHECK_DERIVED(mirror, x);
      CHECK_DERIVED(strided, x);
      CHECK_DERIVED(torus, x);
    }
  return check_done();
}
