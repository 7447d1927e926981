/* Loops beside one whose reversal runs up: what they may do in either order, and what they may not. Rows that overlap, that
 * one loop shifts and the next one reads, arrays that are overwritten in between, and no, one, or few rounds. */
#include "check.h"

#define N 13

/* The loop that decides, in the midst of others that go on from one iteration to the next, or do not. */
static NOINLINE double around(const double *restrict x, int n, double *restrict a, double *restrict b) {
  double s = 0;
  for (int i = 0; i < n; i++) a[i] = x[i] * x[i];
  for (int i = 1; i < n; i++) a[i] = a[i - 1] * x[i];
  for (int i = 0; i < n; i++)
    if (a[i] > 0.5) s += a[i] * x[i];
  for (int i = 0; i < n; i++) b[i] = a[n - 1 - i] * x[i];
  for (int i = 0; i < n; i++) a[i] *= b[i];
  for (int i = n - 1; i >= 0; i--) b[i] += 0.3 * a[i] * b[i];
  for (int i = 0; i < n; i++) s += b[i] * x[i] / x[0];
  for (int i = 0; i + 1 < n; i++) b[i] = b[i + 1] * a[i];
  for (int i = 0; i < n; i++) s += b[i];
  return s;
}
/* Two rows of one array, as far apart as is asked for. */
static NOINLINE double shifted(const double *x, int n, int by, double *y) {
  double s = 0;
  for (int i = 0; i < n + by; i++) y[i] = x[i % N];
  for (int i = 0; i < n; i++) y[i + by] = y[i] * 0.9 + y[i + by];
  for (int i = 0; i < n; i++)
    if (y[i] > 0.8) s += y[i] * y[i];
  for (int i = 0; i < n; i++) y[i] = y[i + by] * x[i];
  for (int i = 0; i < n; i++) s += y[i] / x[1];
  return s;
}
/* In rounds: what the last loop of one leaves, the first one of the next reads. */
static NOINLINE double rounds(const double *x, int n, int count) {
  double y[N] = {0}, z[N] = {0}, s = 0;
  for (int i = 0; i < n; i++) y[i] = x[i];
  for (int round = 0; round < count; round++) {
    for (int i = 0; i < n; i++) z[i] = y[i] * x[i];
    for (int i = 0; i < n - round; i++) s += sqrt(z[i]) * y[i];
    for (int i = 0; i < n; i++) y[i] += 0.2 * z[i];
  }
  return s;
}
/* One place for all iterations, and sums that are looked at. */
static NOINLINE double gathered(const double *x, int n) {
  double y[N], s = 1, t = 0;
  for (int i = 0; i < n; i++) y[0] = x[i] * x[0], t += y[0];
  for (int i = 0; i < n; i++) y[i] = s * x[i], s += y[i] * 0.1;
  for (int i = 0; i < n; i++) t += y[i] / s;
  for (int i = 0; i < n; i++) t *= x[i];
  return t + s;
}

static double all(const double *x) {
  double a[2 * N], b[2 * N], s = 0;
  for (int n = 0; n < N; n += n < 6 ? 1 : 3) {
    s += around(x, n, a, b) + gathered(x, n);
    for (int by = 0; by < 4; by++) s += shifted(x, n, by, a);
    for (int count = 0; count < 4; count++) s += rounds(x, n, count);
  }
  return s;
}
DERIVED(all)
/* Where they are inlined, and their sizes known. */
static double inlined(const double *x) {
  double a[N], s = 0;
  for (int i = 0; i < N; i++) a[i] = x[i] * x[N - 1 - i];
  for (int i = 0; i < N; i++) s += sqrt(a[i]) * x[i];
  for (int i = 0; i < N; i++) a[i] *= x[i];
  for (int i = 0; i < N; i++) s += a[i] * x[0];
  return s;
}
DERIVED(inlined)
static double slope(const double *x) {
  double g[N] = {0}, s = 0;
  GRADIENT_OF(inlined, x, g, N);
  for (int i = 0; i < N; i++) s += g[i] * (1 + 0.2 * i);
  return s;
}
DERIVED(slope)

int main(void) {
  double x[N];
  for (int i = 0; i < N; i++) x[i] = 0.7 + 0.05 * ((i * 7) % 13);
  CHECK_DERIVED(all, x);
  CHECK_DERIVED(inlined, x);
  CHECK_ENGINE(CHECK_DERIVED(slope, x));
  return check_done();
}
