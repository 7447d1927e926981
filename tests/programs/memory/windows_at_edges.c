/* Windows that stop at the ends of an array: loops over neighbours which run a few times, but for the first and the last
 * elements. Ends that are given in all ways C has, windows of one side, in two dimensions, of other arrays than the one
 * they are for, of what is overwritten meanwhile, longer than the array, left early, and run backwards. */
// heavy: nests that become three and nine, in two versions
#include "check.h"

#define N 40
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define MIN(a, b) ((a) < (b) ? (a) : (b))

static volatile int length = N; /* nobody knows that */
static volatile int other = N;

/* The mean of what is there, and how far the element is from it. */
static double means(const double *x) {
  int n = length;
  double s = 0;
  for (int i = 0; i < n; i++) {
    int lo = MAX(i - 2, 0), hi = MIN(i + 2, n - 1);
    double m = 0;
    for (int j = lo; j <= hi; j++) m += x[j] * (1 + 0.1 * x[j]);
    m /= hi - lo + 1;
    s += (x[i] - m) * (x[i] - m);
  }
  return s;
}

/* Counters of other kinds, and ends said in other words. */
static double kinds(const double *x) {
  unsigned n = length;
  size_t m = n;
  long k = n;
  double s = 0;
  for (unsigned i = 0; i < n; i++)
    for (unsigned j = i > 2 ? i - 3 : 0; j < (i + 2 < n ? i + 2 : n); j++) s += x[i] * x[j] * 0.1;
  for (size_t i = 0; i < m; i++)
    for (size_t j = i < 1 ? 0 : i - 1; j < MIN(i + 3, m); j++) s += sin(x[j] + x[i]);
  for (long i = 0; i < k; i++) {
    long from = i - 1, to = i + 1;
    if (from < 0) from = 0;
    if (to >= k) to = k - 1;
    double p = 1;
    for (long j = from; j <= to; j++) p *= x[j];
    s += p;
  }
  for (int i = 0; i < (int)n; i++) /* from the far end of the window */
    for (int j = MIN(i + 2, (int)n - 1); j >= MAX(i - 2, 0); j--) s = s * 0.99 + x[j] * x[i];
  for (int i = (int)n - 1; i >= 0; i--) { /* and of the array */
    double a = 0;
    for (int j = MAX(0, i - 1); j <= MIN((int)n - 1, i + 1); j++) a += x[j] * (j - i + 2);
    s += a * a * 0.01;
  }
  return s;
}

/* Of one side, of an even length, of one element, and pairs of two windows. */
static double sides(const double *x) {
  int n = length;
  double s = 0;
  for (int i = 0; i < n; i++) {
    double a = 0, b = 1, c = 0;
    for (int j = MAX(i - 4, 0); j <= i; j++) a += x[j];
    for (int j = i; j < MIN(i + 4, n); j++) b += x[j] * x[j];
    for (int j = MAX(i - 3, 0); j < i; j++) c += x[j] * (i - j);
    s += a / b + 0.1 * c * x[i];
  }
  for (int i = 0; i < n; i++)
    for (int j = MAX(i - 1, 0); j < MIN(i + 1, n); j++)
      for (int k = MAX(j - 1, 0); k < MIN(j + 2, n); k++) s += 0.1 * x[i] * x[j] * x[k];
  return s;
}

/* Results that are stored, and stored over what the next window reads. */
static double stored(const double *x) {
  int n = length;
  double y[N], z[N], s = 0;
  for (int i = 0; i < n; i++) z[i] = x[i];
  for (int i = 0; i < n; i++) {
    double m = 0;
    int c = 0;
    for (int j = MAX(i - 1, 0); j <= MIN(i + 1, n - 1); j++, c++) m += z[j] * z[j];
    y[i] = m / c;
  }
  for (int t = 0; t < 3; t++)
    for (int i = 0; i < n; i++) {
      double m = 0;
      for (int j = MAX(i - 2, 0); j <= MIN(i + 2, n - 1); j++) m += z[j] * y[j];
      z[i] = 0.5 * z[i] + 0.1 * m;
    }
  for (int i = 0; i < n; i++) /* each adds to all that it sees */
    for (int j = MAX(i - 1, 0); j <= MIN(i + 1, n - 1); j++) y[j] += 0.1 * z[i] * y[i];
  for (int i = 0; i < n; i++) s += y[i] * z[i];
  return s;
}

/* Boxes in two dimensions, of rows that are long or short, and few or many. */
static double boxes(const double *x) {
  int w = 7 + length / 5, h = length / 6;
  double y[16 * 16], s = 0;
  for (int i = 0; i < w * h; i++) y[i] = x[i % length] * (1 + 0.01 * i);
  for (int i = 0; i < h; i++)
    for (int j = 0; j < w; j++) {
      double m = 0;
      for (int a = MAX(i - 1, 0); a <= MIN(i + 1, h - 1); a++)
        for (int b = MAX(j - 1, 0); b <= MIN(j + 1, w - 1); b++) m += y[a * w + b] * (1 + (a == i) + (b == j));
      s += sin(m * 0.1) * y[i * w + j];
    }
  for (int i = h - 1; i >= 0; i--)
    for (int j = 0; j < w; j++)
      for (int a = MAX(i - 2, 0); a <= i; a++)
        for (int b = j; b < MIN(j + 3, w); b++) y[i * w + j] += 0.05 * y[a * w + b];
  for (int i = 0; i < w * h; i++) s += y[i] * y[i] * 0.1;
  return s;
}

/* Conditions that hold in some rows, and in some columns. */
static double rows(const double *x) {
  int w = 7 + length / 5, h = length / 6;
  double y[16 * 16], z[16 * 16], s = 0;
  for (int i = 0; i < w * h; i++) y[i] = x[i % length] * (1 + 0.01 * i);
  for (int i = 0; i < h; i++)
    for (int j = 0; j < w; j++) {
      double a = i + 1 < h ? y[(i + 1) * w + j] - y[i * w + j] : 0.1, b = j > 1 ? y[i * w + j - 2] : y[i * w + j] * 0.5;
      z[i * w + j] = sqrt(a * a + b * b + 0.1);
      if (i >= 2 && j + 2 < w) z[i * w + j] -= 0.2 * y[(i - 2) * w + j + 2];
      s += z[i * w + j] * a;
    }
  for (int t = 0; t < 2; t++)
    for (int i = 0; i < h; i++)
      for (int j = 0; j < w; j++) {
        if (i > 0) y[i * w + j] += 0.1 * y[(i - 1) * w + j];
        if (j > 0) y[i * w + j] += 0.1 * y[i * w + j - 1];
        if (i < h - 1 && j < w - 1) y[i * w + j] *= 0.9 + 0.1 * z[(i + 1) * w + j + 1];
        if (t > 0) s += 0.1 * y[i * w + j];
      }
  for (int k = 0; k < h; k++) /* three dimensions, and what is handed on from each to the next */
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < w; j++) {
        int at = (k * 3 + i) % h * w + j;
        s = 0.999 * s + (k > 0 ? y[at] : 0.3) * (i < 2 ? z[at] : 1.1) * (j + 1 < w ? y[at + 1] : s * 0.001);
      }
  return s * 0.1;
}

/* Ends that have to do with another number than the loop's, that are far away, or that are looked up. */
static double strangers(const double *x) {
  int n = length, m = other, k = m - 5;
  double y[2 * N], s = 0;
  for (int i = 0; i < 2 * N; i++) y[i] = x[i % n] * (1 + 0.1 * i);
  for (int i = 0; i < n; i++) s += x[(i + 1) % n] * y[i + MAX(k, 1)] * y[MAX(i - k, 0)] * 0.1;
  for (int i = 0; i < n; i++) s += x[i] * (1 + (i > 2)) * y[i + (i < n - 3)] * 0.1;
  for (int i = 0; i < n; i++) {
    for (int j = MAX(i - 2, 0); j <= MIN(i + 2, m - 1); j++) s += x[i] * x[j] * 0.1;
    for (int j = MAX(i - 9, 0); j <= MIN(i + 9, n - 1); j++) s += cos(x[j]) * 0.1;
    for (int j = MAX(i - m / 20, 0); j <= i; j++) s += x[j] * x[i] * 0.1;
    for (int j = MAX(i - 2, 1); j <= MIN(i + 2, n - 2); j++) s += x[j] * x[j - 1] * x[j + 1] * 0.1;
    for (int j = MAX(2 * i - 2, 0); j <= MIN(2 * i + 1, n - 1); j++) s += x[i] * x[j] * 0.1;
  }
  return s;
}

/* Left early, gone on from, and branches inside. */
static double early(const double *x) {
  int n = length;
  double s = 0;
  for (int i = 0; i < n; i++) {
    double a = 0;
    for (int j = MAX(i - 2, 0); j <= MIN(i + 2, n - 1); j++) {
      if (j % 5 == 3) continue;
      a += x[j] * x[i];
      if (a > 1.31) break;
    }
    for (int j = MAX(i - 1, 0); j <= MIN(i + 1, n - 1); j++)
      if (j != i) a += x[j] > x[i] ? x[j] : 0.5 * x[i] * x[j];
    s += a * a;
    if (s > 90) break;
  }
  return s;
}

/* The largest, weights that come from how far it is, and numbers handed on to the next element. */
static double weighed(const double *x) {
  int n = length;
  double s = 0, before = 0.1;
  for (int i = 0; i < n; i++) {
    double most = x[MAX(i - 2, 0)], sum = 0, all = 0;
    for (int j = MAX(i - 2, 0); j <= MIN(i + 2, n - 1); j++) most = x[j] > most ? x[j] : most;
    for (int j = MAX(i - 2, 0); j <= MIN(i + 2, n - 1); j++) {
      double k = exp(-(x[j] - x[i]) * (x[j] - x[i])) / (1 + abs(i - j));
      sum += k * x[j] * before;
      all += k;
    }
    before = 0.5 * before + 0.3 * sum / all;
    s += most * before;
  }
  return s;
}

DERIVED(means)
DERIVED(kinds)
DERIVED(sides)
DERIVED(stored)
DERIVED(boxes)
DERIVED(rows)
DERIVED(strangers)
DERIVED(early)
DERIVED(weighed)

int main(void) {
  double x[N];
  for (int i = 0; i < N; i++) x[i] = 0.3 + 0.09 * ((i * 7) % 6) + 0.003 * i;
  const int lengths[] = {N, 5, 7, 9, 11, 12, 13, 14, 17, 20, 26, 33};
  for (int k = 0; k < 12; k++) {
    length = lengths[k];
    other = k % 3 == 0 ? length : k % 3 == 1 ? N : 5;
    CHECK_DERIVED(means, x);
    CHECK_DERIVED(kinds, x);
    CHECK_DERIVED(sides, x);
    CHECK_DERIVED(stored, x);
    CHECK_DERIVED(boxes, x);
    CHECK_DERIVED(rows, x);
    CHECK_DERIVED(strangers, x);
    CHECK_DERIVED(early, x);
    CHECK_DERIVED(weighed, x);
  }
  return check_done();
}
