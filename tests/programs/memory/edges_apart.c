/* Indices that go around, and conditions that the first and last iterations alone meet: of loops that are long or short,
 * run down, begin late, step over elements, count without a sign; with divisors and bounds that have nothing to do with
 * one another, numbers so large that they wrap, and what the next iteration finds of the one before. */
// heavy: many loops, which become several for vectors
#include "check.h"

#define N 40
#define W 100

static volatile int length = N; /* nobody knows that */
static double scale = 1;

/* Both neighbours, and one further off, each round in the other array. */
static NOINLINE void step(int n, const double *u, double *r) {
  for (int i = 0; i < n; i++) {
    double a = u[(i + n - 2) % n], b = u[(i + n - 1) % n], c = u[(i + 1) % n];
    r[i] = u[i] + 0.1 * a * b - 0.1 * c * sin(u[i]);
  }
}
static double around(const double *x) {
  int n = length;
  double u[N], v[N], s = 0;
  for (int i = 0; i < n; i++) u[i] = x[i];
  for (int t = 0; t < 4; t++) {
    step(n, u, v);
    step(n, v, u);
  }
  for (int i = 0; i < n; i++) s += u[i] * u[(i * 2) % n] * (i + 1);
  return s;
}

/* In place: the neighbour on the left is new already, and the last one meets the first. */
static double in_place(const double *x) {
  int n = length;
  double u[N], s = 0;
  for (int i = 0; i < n; i++) u[i] = x[i];
  for (int t = 0; t < 3; t++)
    for (int i = 0; i < n; i++) {
      int left = i == 0 ? n - 1 : i - 1, right = i == n - 1 ? 0 : i + 1;
      u[i] = 0.5 * u[i] + 0.2 * u[left] * u[right] + 0.1 * u[(i + n - 3) % n];
    }
  for (int i = 0; i < n; i++) s += u[i] * u[i] / (i + 1);
  return s;
}

/* Counters of other kinds. */
static double kinds(const double *x) {
  unsigned n = length;
  size_t m = n;
  long k = n;
  double s = 0;
  for (unsigned i = 0; i < n; i++) s += x[(i + 1) % n] * x[(i + n - 1) % n] * x[i];
  for (size_t i = 0; i < m; i++) s += x[(i + m - 1) % m] * exp(x[(i + 2) % m] * 0.1);
  for (long i = 0; i < k; i++) s += x[(i - 1 + k) % k] * x[(i + 1) % k] / (1 + x[i] * x[i]);
  for (short i = 0; i < (short)n; i++) s += x[(i + 1) % (short)n] * x[i];
  for (unsigned i = 0; i < n; i++) s += x[(i + n + n - 1) % n] * x[i]; /* once more around */
  return s;
}

/* Downwards, by twos, from further on, and up to somewhere before the end. */
static double ways(const double *x) {
  int n = length, from = n / 5, to = n - n / 7;
  double s = 0;
  for (int i = n - 1; i >= 0; i--) s += x[(i + 1) % n] * x[i > 0 ? i - 1 : n - 1] * (s > 3 ? 0.5 : 1.0);
  for (int i = 0; i < n; i += 2) s += x[(i + 1) % n] * x[(i + n - 2) % n];
  for (int i = from; i < n; i++) s += x[(i + 3) % n] * x[i] * (i > from ? x[i - 1] : 1);
  for (int i = from; i < to; i++) s += x[(i + 3) % n] * x[i] + (i < to - 1 ? x[i + 1] * x[i] : 0);
  for (int i = 0; i + 1 < n; i++) s += x[(i + 1) % n] * x[(n - 1 - i) % n];
  return s;
}

/* A loop and a divisor that have nothing to do with one another, and a constant one. */
static double strangers(const double *x) {
  int n = length, m = n / 2 + 3, many = n + 17;
  double s = 0;
  for (int i = 0; i < n; i++) s += x[(i + 1) % m] * x[i];
  for (int i = 0; i < many; i++) s += x[(i + 1) % n] * 0.5 * x[i % n];
  for (int i = 0; i < n; i++) s += x[(i + 1) % 7] * x[i % 3];
  for (int i = 0; i < n; i++) s += x[(i * i) % n] * x[(i * m) % n];
  return s;
}

/* Something added that is no number of elements, and taken away again: it may wrap on the way. */
static volatile int huge = 2147483000;
static double wrapping(const double *x) {
  int n = length;
  unsigned h = huge;
  double s = 0;
  for (int i = 0; i < n; i++) s += x[(int)((unsigned)i + h - h + 1) % n] * x[i];
  for (unsigned i = 0; i < (unsigned)n; i++) s += x[(i + h) % n] * x[i];
  for (unsigned i = 0; i < (unsigned)n; i++) s += x[(i - 3) % n] * x[i]; /* below zero: the largest numbers */
  for (int i = 0; i < n; i++) s += (i - 3) % n < 0 ? x[i] * x[i] : x[(i - 3) % n] * x[i];
  return s;
}

/* Conditions on either side, and more than one; a sum of what iterations before have found. */
static double conditions(const double *x) {
  int n = length, seen = 0;
  double s = 0, before = 0.3, largest = x[0];
  for (int i = 0; i < n; i++) {
    double y = x[i] * before;
    if (i > 0) y += x[i - 1] * x[i];
    if (i < n - 2) y -= x[i + 2] * 0.3;
    if (i != 0 && i != n - 1) y += x[i - 1] * x[i + 1];
    if (i == 5) y *= 2; /* in the middle */
    if ((unsigned)(i - 2) < (unsigned)n) y += x[i - 2] * 0.1;
    if (i == 0 || x[i] > largest) largest = x[i];
    before = 0.5 * before + 0.1 * y;
    seen += i >= 3;
    s += y;
  }
  return s * largest + before * seen;
}

/* Two dimensions, with what one row finds in another. */
static double plane(const double *x) {
  int n = length / 5, m = length / n;
  double u[2][W], s = 0;
  for (int k = 0; k < n * m; k++) u[0][k] = x[k];
  for (int t = 0; t < 3; t++) {
    const double *a = u[t % 2];
    double *b = u[(t + 1) % 2];
    for (int i = 0; i < n; i++)
      for (int j = 0; j < m; j++) {
        int up = (i + 1) % n, down = (i - 1 + n) % n, right = (j + 1) % m, left = (j + m - 1) % m;
        b[i * m + j] = 0.5 * a[i * m + j] + 0.1 * (a[up * m + j] * a[i * m + left] + a[down * m + j] + a[i * m + right]);
      }
  }
  for (int k = 0; k < n * m; k++) s += u[1][k] * u[1][k];
  return s;
}

/* What the loop leaves behind, and a function in the middle of it. */
static NOINLINE double mixed(double a, double b) { return a * b + 0.1 * sin(a); }
static double behind(const double *x) {
  int n = length, last = 0;
  double y = 1, z = 0;
  for (int i = 0; i < n; i++) {
    z = mixed(x[(i + n - 1) % n], x[(i + 1) % n]) + 0.2 * z;
    y = 0.9 * y + z * scale;
    last = (i + n - 2) % n;
  }
  return y * x[last] + z;
}

/* Indices that turn around at the ends, with the last element once or twice, of counters of other kinds. */
static double mirrored(const double *x) {
  int n = length, m = N - 3;
  long k = n;
  double s = 0;
  for (int i = 0; i < n; i++) s += x[abs(i - 2)] * x[n - 1 - abs(n - 2 - i)] * x[i];
  for (int i = 0; i < n; i++) {
    double a = 0;
    for (int b = -2; b <= 2; b++) {
      int j = abs(i + b);
      if (j >= n) j = 2 * n - 2 - j;
      a += (b + 3) * x[j];
    }
    s += 0.01 * a * a;
  }
  for (long i = 0; i < k; i++) {
    double a = 0;
    for (long b = -1; b <= 1; b++) {
      long j = i + b;
      j = j < 0 ? -j - 1 : j >= k ? 2 * k - 1 - j : j;
      a += x[j] * x[labs(j - 1)];
    }
    s += sin(a);
  }
  for (int i = n - 1; i >= 0; i--) s += x[abs(2 - i)] * x[i] + x[abs(i - n / 2)] * x[abs(m - n)] * x[i];
  double u[N], v[N];
  for (int i = 0; i < n; i++) u[i] = x[i], v[i] = 0.5 * x[i];
  for (int i = 0; i < n; i++) u[i] *= tanh(u[abs(i - 2)] * u[abs(i - 2)]) + 0.5;
  for (int i = 0; i < n; i++) v[i] += 0.3 * v[n - 1 - abs(n - 2 - i)] * u[i];
  for (int i = 0; i < n; i++) s += u[i] * v[i] * (i + 1);
  return s;
}

DERIVED(around)
DERIVED(in_place)
DERIVED(kinds)
DERIVED(ways)
DERIVED(strangers)
DERIVED(wrapping)
DERIVED(conditions)
DERIVED(plane)
DERIVED(behind)
DERIVED(mirrored)

int main(void) {
  static const int lengths[] = {40, 5, 10, 11, 12, 13, 14, 20, 33};
  for (int k = 0; k < COUNT(lengths); k++) {
    double x[N];
    length = lengths[k];
    for (int i = 0; i < N; i++) x[i] = 0.45 + 0.3 * sin(1.7 * i + 0.3 + k);
    CHECK_DERIVED(around, x);
    CHECK_DERIVED(in_place, x);
    CHECK_DERIVED(kinds, x);
    CHECK_DERIVED(ways, x);
    CHECK_DERIVED(strangers, x);
    CHECK_DERIVED(wrapping, x);
    CHECK_DERIVED(conditions, x);
    CHECK_DERIVED(plane, x);
    CHECK_DERIVED(behind, x);
    CHECK_DERIVED(mirrored, x);
  }
  return check_done();
}
