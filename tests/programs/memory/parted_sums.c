/* Rows of one table that the reverse sweep adds to in short loops, two or three at a time, which may be the same row, or
 * overlap by some numbers; run down, with amounts that depend on what was added before, beside numbers that are read
 * from where others add, and a table that is changed between the rows. */
#include "check.h"

#define ROWS 6
#define K 16
#define N (ROWS * K)

static volatile int pairs = 9; /* nobody knows that */
static const int of[9][3] = {{0, 1, 2}, {3, 3, 1}, {5, 0, 5}, {2, 2, 2}, {4, 1, 4}, {1, 4, 0}, {5, 5, 5}, {0, 3, 1}, {2, 4, 3}};

/* Two rows, which are one in some pairs. */
static double products(const double *x) {
  double s = 0;
  for (int r = 0; r < pairs; r++) {
    const double *u = x + K * of[r][0], *v = x + K * of[r][1];
    double p = 0;
    for (int k = 0; k < K; k++) p += u[k] * v[k];
    s += (p - 1) * (p - 1);
  }
  return s;
}

/* Windows that overlap by any number of elements: one may begin inside of the other. */
static double windows(const double *x) {
  double s = 0;
  for (int r = 0; r < pairs; r++) {
    const double *u = x + 9 * of[r][0] + r, *v = x + 9 * of[r][1] + 2 * r;
    double p = 0;
    for (int k = 0; k < 12; k++) p += u[k] * u[k] * v[k];
    s += sin(p);
  }
  return s;
}

/* Three rows, from the last element to the first one, and one that lies a number further on. */
static double three(const double *x) {
  double s = 0;
  for (int r = 0; r < pairs; r++) {
    const double *u = x + 13 * of[r][0], *v = x + 13 * of[r][1] + 1, *w = x + 13 * of[r][2];
    double p = 1;
    for (int k = 9; k >= 0; k--) p += u[k] * v[k] * w[k] + u[k + 1] * w[k];
    s += log(4 + p * p);
  }
  return s;
}

/* What is added depends on all that came before in the row. */
static double carried(const double *x) {
  double s = 0;
  for (int r = 0; r < pairs; r++) {
    const double *u = x + K * of[r][0], *v = x + K * of[r][1];
    double p = 0.5;
    for (int k = 0; k < 8; k++) p = p * u[k] + v[k] * cos(p);
    s += p * p;
  }
  return s;
}

/* Overwritten between reads: an iteration stores what a later one reads through the other pointer. */
static double moved(const double *x) {
  double y[N + K], s = 0;
  for (int i = 0; i < N + K; i++) y[i] = x[i % N];
  for (int r = 0; r < pairs; r++) {
    double *u = y + 11 * of[r][0], *v = y + 11 * of[r][1] + 3;
    for (int k = 0; k < 10; k++) u[k] += 0.1 * v[k] * v[k];
  }
  for (int i = 0; i < N + K; i++) s += y[i] * y[i] * (1 + i % 3);
  return s;
}

/* What comes of two rows goes into the table. */
static double inside(const double *x) {
  double t[N], s = 0;
  memcpy(t, x, sizeof t);
  for (int r = 0; r < pairs; r++) {
    const double *u = t + K * of[r][0], *v = t + K * of[r][1];
    double p = 0;
    for (int k = 0; k < K; k++) p += (u[k] - v[k]) * (u[k] - v[k]);
    t[of[r][2] * K + r] = 0.1 * p;
  }
  for (int i = 0; i < N; i++) s += t[i] * t[i];
  return s;
}

DERIVED(products)
DERIVED(windows)
DERIVED(three)
DERIVED(carried)
DERIVED(moved)
DERIVED(inside)

int main(void) {
  double x[N];
  for (int i = 0; i < N; i++) x[i] = 0.3 + 0.2 * sin(1.7 * i);
  CHECK_DERIVED(products, x);
  CHECK_DERIVED(windows, x);
  CHECK_DERIVED(three, x);
  CHECK_DERIVED(carried, x);
  CHECK_DERIVED(moved, x);
  CHECK_DERIVED(inside, x);
  return check_done();
}
