/* Mathematical functions in loops that run in vectors: any number of rounds, in place, under conditions, with sums that
 * must keep their order, and with arguments for which the library itself is asked. */
#include "check.h"

enum { N = 67 };

static double sums(const double *x, int n) {
  double s = 1, t = 0;
  for (int i = 0; i < n; i++) s += exp(x[i]), t += expm1(0.5 * x[i]) * tanh(2 * x[i]);
  return log(s) + t;
}
static double sums0(const double *x) { return sums(x, 0); }
static double sums1(const double *x) { return sums(x, 1); }
static double sums7(const double *x) { return sums(x, 7); }
static double sums8(const double *x) { return sums(x, 8); }
static double sums67(const double *x) { return sums(x, N); }
DERIVED(sums0)
DERIVED(sums1)
DERIVED(sums7)
DERIVED(sums8)
DERIVED(sums67)

/* Numbers are overwritten by functions of themselves, and read again. */
static double in_place(const double *x) {
  double w[N], s = 0;
  memcpy(w, x, sizeof w);
  for (int k = 0; k < 3; k++) {
    for (int i = 0; i < N; i++) w[i] = tanh(w[i]) + 0.25 * exp(-w[i]);
    for (int i = 0; i < N; i++) w[i] = log(2 + w[i]);
  }
  for (int i = 0; i < N; i++) s += w[i] * (i % 5);
  return s;
}
DERIVED(in_place)

/* Rounds that call no function, or the other one; where there is no logarithm, none is taken. */
static double choices(const double *x) {
  double s = 0;
  for (int i = 0; i < N; i++) {
    double y = x[i] - 0.42;
    if (y > 0.2)
      s += log(y) * x[i];
    else if (i % 3)
      s += exp(y);
    else
      s += y * y;
  }
  return s;
}
DERIVED(choices)

/* Zero, tiny, large: exp of less than -512 and tanh of more than 22 among others; sums of numbers far apart. */
static double spread(const double *x) {
  static const double at[12] = {0, 1e-300, -1e-17, 30, -700, -600, 1e-9, -0.0, 5, 200, -38, 511};
  double s = 0, t = 0;
  for (int i = 0; i < 60; i++) {
    double y = at[i % 12] + x[i] * (i % 12 < 3 ? 1e-3 : 1);
    s += tanh(y) + expm1(-fabs(y)) * x[i + 1];
    t += exp(-y * 0.01) + log(1 + exp(-fabs(y)));
  }
  return s + t;
}
DERIVED(spread)

/* Rows, each with its largest element taken off, the way classifiers do it. */
static double softmax(const double *x) {
  double s = 0;
  for (int r = 0; r < 6; r++) {
    const double *row = x + 11 * r;
    double largest = row[0], sum = 0;
    for (int i = 1; i < 11; i++) largest = largest < row[i] ? row[i] : largest;
    for (int i = 0; i < 11; i++) sum += exp(row[i] - largest);
    s += (log(sum) + largest - row[r]) * (1 + 0.1 * r);
  }
  return s;
}
DERIVED(softmax)

int main(void) {
  double a[N + 1], b[N + 1];
  for (int i = 0; i <= N; i++) a[i] = 0.3 + 0.05 * (i * 7 % 13), b[i] = 0.5 - 0.04 * (i * 5 % 17);
#define EACH(f) CHECK_DERIVED(f, a); CHECK_DERIVED(f, b)
  EACH(sums0); EACH(sums1); EACH(sums7); EACH(sums8); EACH(sums67); EACH(in_place); EACH(choices);
  EACH(spread); EACH(softmax);
  return check_done();
}
