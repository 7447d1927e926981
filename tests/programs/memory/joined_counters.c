/* Loops with several counters that are always as far apart: from numbers and from what is known only when the program
 * runs, up, down, by several; counters that are used behind the loop, that wrap, of fewer bits, with other steps, in
 * loops in loops, and of pointers that go along. */
#include "check.h"

#define N 30

static volatile int length = N; /* nobody knows it */

static double one_more(const double *x) {
  int n = length;
  double s = 0;
  for (int i = 0; i + 1 < n; i++) {
    double a = x[i + 1] - x[i] * x[i], b = 1 - x[i];
    s += 10 * a * a + b * b;
  }
  return s;
}

static double walk(const double *x) {
  int n = length, i = 0, j = 1, k = 3;
  double s = 0;
  while (k < n) {
    double d = x[j++] - x[i++] * x[k++];
    s += d * d / (1 + d * d);
  }
  return s + i * x[0] + j * x[1] + k * x[2]; /* what they were in the end */
}

static double from_the_end(const double *x) { /* n - 1 and n - 2, not known before */
  long n = length, i = n - 1, j = n - 2;
  double s = 0;
  for (; j >= 0; i--, j--) s += x[i] * x[i] * sin(x[j]) * x[j];
  return s + i * x[1] - j * x[2];
}

static double towards(const double *x) { /* one up, one down */
  long n = length, i = 0, j = n - 1;
  double s = 0;
  for (; i < j; i++, j--) s += x[i] * x[j] * x[j] + x[i + 1] * x[j - 1];
  return s + i * x[1] - j * x[2];
}

static double steps(const double *x) { /* by two, by two, by three, by one */
  long n = length, i = 0, j = 1, k = 0, l = 2;
  double s = 0;
  for (; k + 3 < n; i += 2, j += 2, k += 3, l++) s += x[i % n] * x[j % n] * x[k] + x[k + 3] * x[l] * x[l] * x[i % n];
  return s;
}

static double unsigned_down(const double *x) {
  unsigned long n = (unsigned long)length, i = n, j = n + 5;
  double s = 0;
  while (i-- > 0) {
    j--;
    s += x[i] * x[i] * (double)(j - i) + cos(x[i]) * x[j % n];
  }
  return s + (double)(i + 1) * x[0] + (double)(j - 4) * x[0];
}

static double around(const double *x) { /* one of them goes around, the other does not */
  unsigned long i = 0, j = ~0ul - 4;
  double s = 0;
  for (; i < 12; i++, j++) s += x[i] * x[i + 1] * x[j & 15] * x[(j + 1) & 15];
  return s;
}

static double around_behind(const double *x) { /* the one behind goes around */
  unsigned long i = 3, j = ~0ul - 2;
  long k = -5;
  double s = 0;
  for (; i < 15; i++, j++, k++) s += x[i] * x[(j + 3) & 31] + (k < 0 ? x[i] * x[i + 1] : x[k] * x[k + 1] * x[i]);
  return s;
}

static double shorter(const double *x) { /* of 32, 16 and 8 bits */
  unsigned int i = 0, j = 1;
  short k = 2, l = 3;
  unsigned char a = 250, b = 251;
  double s = 0;
  for (; j < (unsigned)length; i++, j++, k++, l++, a++, b++) s += x[i] * x[j] + x[k % N] * x[l % N] * x[a % N] * x[b % N];
  return s;
}

static double rows(const double *x) {
  int n = length / 5;
  double s = 0;
  for (int r = 0; r + 1 < 5; r++) {
    double t = 0;
    for (int i = 0; i + 1 < n; i++) {
      double d = x[(r + 1) * n + i] - x[r * n + i], e = x[r * n + i + 1] - x[r * n + i];
      t += sqrt(1 + d * d + e * e);
    }
    s += t * t * x[r + 1] * x[r];
  }
  return s;
}

static double pointers(const double *x) {
  int n = length;
  const double *p = x, *q = x + 1, *end = x + n;
  double s = 0;
  for (int i = 0; q < end; p++, q++, i++) s += *p * *q * *q + x[i] * x[i + 1];
  return s;
}

static double written(const double *x) {
  int n = length;
  double w[N], s = 0;
  for (int i = 0; i < N; i++) w[i] = 0;
  for (int i = 0; i + 1 < n; i++) {
    double d = x[i + 1] - x[i], g = 2 * d + d * d * d;
    w[i] += g, w[i + 1] -= g;
  }
  for (int i = 0; i + 2 < n; i++) s += w[i] * w[i + 1] + w[i + 2] * w[i];
  return s;
}

static double left_early(const double *x) {
  int n = length, i = 0, j = 1;
  double s = 0;
  for (; j < n; i++, j++) {
    if (x[i] * x[j] > 0.5) break;
    s += x[i] * sin(x[j]);
  }
  return s + i * x[3] + j * x[2];
}

static double none(const double *x) {
  double s = 0;
  for (int n = 0; n < 4; n++)
    for (int i = 0, j = 2; j < n; i++, j++) s += x[i] * x[j] * x[j];
  return s + x[0];
}

DERIVED(one_more) DERIVED(walk) DERIVED(from_the_end) DERIVED(towards) DERIVED(steps) DERIVED(unsigned_down)
DERIVED(around) DERIVED(around_behind) DERIVED(shorter) DERIVED(rows) DERIVED(pointers) DERIVED(written)
DERIVED(left_early) DERIVED(none)

int main(void) {
  static const int lengths[] = {N, 5, 10, 11, 17, 25};
  for (int k = 0; k < COUNT(lengths); k++) {
    double x[N + 2];
    length = lengths[k];
    for (int i = 0; i < N + 2; i++) x[i] = 0.45 + 0.3 * sin(1.7 * i + 0.3 + k);
    CHECK_DERIVED(one_more, x);
    CHECK_DERIVED(walk, x);
    CHECK_DERIVED(from_the_end, x);
    CHECK_DERIVED(towards, x);
    CHECK_DERIVED(steps, x);
    CHECK_DERIVED(unsigned_down, x);
    CHECK_DERIVED(around, x);
    CHECK_DERIVED(around_behind, x);
    CHECK_DERIVED(shorter, x);
    CHECK_DERIVED(rows, x);
    CHECK_DERIVED(pointers, x);
    CHECK_DERIVED(written, x);
    CHECK_DERIVED(left_early, x);
    CHECK_DERIVED(none, x);
  }
  return check_done();
}
