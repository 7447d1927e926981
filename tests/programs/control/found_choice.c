/* The largest and the smallest of an array, found behind the loop: of every length around a vector's, with equals, of parts
 * that begin anywhere, in arrays that are overwritten later, of numbers that the function made itself, one after the other,
 * in functions called in loops, in single precision, and differentiated twice. */
#include "../check.h"

#define N 40

static NOINLINE double most(const double *x, int n) {
  double m = x[0];
  for (int i = 1; i < n; i++)
    if (m < x[i]) m = x[i];
  return m;
}
static double lengths(const double *x) {
  double s = 0;
  for (int n = 1; n <= N; n++) s += most(x, n) * (1 + 0.1 * n);
  return s;
}
DERIVED(lengths)

/* No iteration at all, and a beginning that is never reached. */
static double none(const double *x) {
  volatile int few = 0, all = N;
  double m = x[1], most = x[2] + 100;
  for (int i = 0; i < few; i++)
    if (m > x[i]) m = x[i];
  for (int i = 0; i < all; i++)
    if (most < x[i]) most = x[i];
  return m * most;
}
DERIVED(none)

/* Shifted by the largest, in place: what the loop read is gone when it is reversed. */
static double softmax(const double *x) {
  double y[N], sum = 0, s = 0;
  volatile int n = N - 3, from = 2;
  for (int i = 0; i < N; i++) y[i] = x[i] * (1.2 + sin(3 * i)) + 0.1 * x[(i * 7) % N];
  double largest = -1e30, *z = y + from;
  for (int i = 0; i < n - 1; i++) largest = z[i] > largest ? z[i] : largest;
  for (int i = 0; i < N; i++) sum += y[i] = exp(y[i] - 0.5 * largest);
  for (int i = 0; i < N; i++) s += i * y[i] / sum;
  double least = y[n];
  for (int i = 3; i < n; i++) least = y[i] < least ? y[i] : least;
  for (int i = 0; i < N; i++) y[i] *= least;
  return s + log(sum) + largest + y[5];
}
DERIVED(softmax)

/* The array is the one that is written next, by its own largest. */
static double normalised(const double *x) {
  double y[2 * N];
  volatile int n = N;
  for (int i = 0; i < N; i++) y[i] = y[N + i] = x[i] * (1 + 0.01 * i);
  for (int k = 0; k < 3; k++) {
    double scale = most(y + k, n) + 0.1;
    for (int i = 0; i < 2 * N; i++) y[i] = y[i] / scale + 0.01 * scale;
  }
  double m = y[n];
  for (int i = 1; i < n; i++)
    if (y[n + i] > m) m = y[n + i];
  y[0] = m;
  double s = 0;
  for (int i = 0; i < 2 * N; i += 3) s += y[i] * y[i];
  return s + m;
}
DERIVED(normalised)

static double singles(const double *x) {
  float y[N], m = -1000;
  volatile int n = N - 1;
  for (int i = 0; i < N; i++) y[i] = (float)x[i];
  for (int i = 0; i < n; i++)
    if (m < y[i]) m = y[i];
  return (double)m * (double)m;
}
DERIVED(singles)

static double slope(const double *x) {
  double g[N] = {0}, s = 0;
  GRADIENT_OF(softmax, x, g, N);
  for (int i = 0; i < N; i++) s += g[i] * (1 + 0.2 * i);
  return s;
}
DERIVED(slope)

int main(void) {
  double x[N];
  for (int turn = 0; turn < 4; turn++) {
    for (int i = 0; i < N; i++) x[i] = 0.5 + 0.013 * ((i * (2 * turn + 7) + 5 * turn) % 41);
    CHECK_DERIVED(lengths, x);
    CHECK_DERIVED(none, x);
    CHECK_DERIVED(softmax, x);
    CHECK_DERIVED(normalised, x);
    CHECK_SINGLE(singles, singles_gradient, singles_tangent, x);
    CHECK_ENGINE(CHECK_DERIVED(slope, x));
  }
  return check_done();
}
