/* Neighbouring elements in loops that are long enough for vectors, of every length around a vector's; entered again and
 * again, so that what one run of a reversed loop leaves behind would be seen in the next. Values that go from one
 * iteration to the next: the iteration's own, the one before, one from outside, a choice. */
#include "check.h"

#define N 48

static double finish(const double *y, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) s += y[i] * y[i] * (1 + 0.01 * i);
  return s;
}

static void ring(int n, const double *restrict y, double *restrict dy, const double *forcing) {
  dy[0] = (y[1] - y[n - 2]) * y[n - 1] - y[0] + forcing[0];
  dy[1] = (y[2] - y[n - 1]) * y[0] - y[1] + forcing[1];
  for (int i = 2; i < n - 1; i++) dy[i] = (y[i + 1] - y[i - 2]) * y[i - 1] - y[i] + forcing[i];
  dy[n - 1] = (y[0] - y[n - 3]) * y[n - 2] - y[n - 1] + forcing[n - 1];
}
static double rings(const double *x) {
  double total = 0;
  for (int n = 4; n <= N; n += 1 + n / 9) {
    double *y = malloc(sizeof(double) * n), *stage = malloc(sizeof(double) * n), *slope = malloc(sizeof(double) * n);
    for (int i = 0; i < n; i++) y[i] = x[i];
    for (int step = 0; step < 3; step++) {
      ring(n, y, slope, x);
      for (int i = 0; i < n; i++) stage[i] = y[i] + 0.05 * slope[i];
      ring(n, stage, slope, x);
      for (int i = 0; i < n; i++) y[i] += 0.1 * slope[i];
    }
    total += finish(y, n);
    free(y), free(stage), free(slope);
  }
  return total;
}
DERIVED(rings)

/* Downward, with a step of two, with holes; lengths from nothing on. */
static double lengths(const double *x) {
  double total = 0;
  for (int n = 0; n < N; n += 1 + n / 8) {
    double y[N], z[N];
    for (int i = 0; i < N; i++) y[i] = x[i] * x[i], z[i] = 0;
    for (int i = n - 2; i > 0; i--) z[i] = y[i + 1] * y[i] - y[i - 1] * y[i + 1];
    for (int i = 2; i + 3 < n; i += 2) z[i] += y[i - 2] * y[i + 2] + y[i];
    for (int i = 3; i < n; i++) z[i] += y[i - 3] * y[i];
    total += finish(z, N);
  }
  return total;
}
DERIVED(lengths)

/* In place and by two pointers that may be one: each iteration needs what the one before stored. */
static NOINLINE void smooth(double *a, const double *b, int n) {
  for (int i = 1; i + 1 < n; i++) a[i] = 0.4 * (b[i - 1] + b[i + 1]) + 0.1 * a[i] * b[i];
}
static double overlaps(const double *x) {
  double y[N], z[N];
  for (int i = 0; i < N; i++) y[i] = x[i], z[i] = x[N - 1 - i] * x[i];
  smooth(y, y, N);
  smooth(y, z, N);
  smooth(y + 1, y, N - 1);
  smooth(z, z + 1, N - 1);
  smooth(y + 9, y, N - 9);
  return finish(y, N) + finish(z, N);
}
DERIVED(overlaps)

/* What the next iteration is given, in loops that are entered from another one. */
static double carried(const double *x) {
  double total = 0;
  for (int k = 0; k < 4; k++) {
    double before = x[k], earlier = x[k + 1], outside = x[k + 2] * x[k + 3], first = 1.5, chosen = x[k + 4];
    for (int i = k; i < N - k * 9; i++) {
      double now = x[i] * before + 0.3 * earlier;
      total += now * chosen * first;
      earlier = before;
      before = sin(now);
      first = outside;
      chosen = x[i] > 0.8951 ? x[i] * x[i] : chosen;
    }
    total += before * earlier + first * chosen;
  }
  return total;
}
DERIVED(carried)

/* Swapped in every iteration, and a number that stays what it was. */
static double swapped(const double *x) {
  double total = 0;
  for (int n = 0; n < 12; n++) {
    double a = x[n], b = x[n + 1], same = x[n + 2];
    for (int i = 0; i < n; i++) {
      double kept = a;
      total += a * x[i] + b * b * same;
      a = b;
      b = kept;
    }
    total += a * same;
  }
  return total;
}
DERIVED(swapped)

static double least(const double *x) {
  double total = 0;
  for (int k = 0; k < 5; k++) {
    double low = 2;
    for (int i = k; i < N; i += 1 + k) {
      double distance = 0;
      for (int j = 1; j < 6; j++) distance += pow(x[(i + j) % N] - x[j - 1] + 0.2 * j, 2);
      if (distance < low) low = distance;
    }
    total += low * x[k];
  }
  return total;
}
DERIVED(least)

static double slope(const double *x) {
  double g[N] = {0}, s = 0;
  GRADIENT_OF(lengths, x, g, N);
  for (int i = 0; i < N; i++) s += g[i] * (1 + 0.2 * i);
  return s;
}
DERIVED(slope)

int main(void) {
  double x[N];
  for (int i = 0; i < N; i++) x[i] = 0.7 + 0.01 * ((i * 7) % 41);
  CHECK_DERIVED(rings, x);
  CHECK_DERIVED(lengths, x);
  CHECK_DERIVED(overlaps, x);
  CHECK_DERIVED(carried, x);
  CHECK_DERIVED(swapped, x);
  CHECK_DERIVED(least, x);
  CHECK_ENGINE(CHECK_DERIVED(slope, x));
  return check_done();
}
