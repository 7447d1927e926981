/* Calls with what neighbouring iterations call with: up, down, several elements away, through sums and products, of two
 * numbers, of two counters; and what looks like that and is not: other steps, indices of an array, other
 * arrays, arrays that the loop writes, counters that wrap, calls that only some iterations make. */
// heavy: many loops, which become several for vectors
#include "check.h"

#define N 40

static volatile int length = N, lowest = 1; /* nobody knows these */

static double trapezoid(const double *x) {
  int n = length;
  double s = 0;
  for (int i = 1; i < n; i++) s += 0.5 * (x[i] - x[i - 1]) * (sin(x[i]) + sin(x[i - 1]));
  return s;
}

static double downwards(const double *x) {
  int least = lowest;
  double s = 0;
  for (int i = length - 1; i >= least; i--) s += sin(x[i]) * cos(x[i - 1]) * sin(x[i - 1]) - cos(x[i]);
  return s;
}

static double three(const double *x) { /* in no order */
  int n = length;
  double s = 0;
  for (int i = 1; i < n - 1; i++) s += atan(x[i]) * (atan(x[i + 1]) - 3 * atan(x[i - 1])) * x[i];
  return s;
}

static double far(const double *x) { /* three, seven and eleven elements away */
  int n = length;
  double s = 0;
  for (int i = 0; i < n - 11; i++) s += sin(x[i]) * sin(x[i + 3]) + sin(x[i + 7]) * sin(x[i + 11]) * x[i];
  return s;
}

static double through(const double *x) {
  int n = length;
  double s = 0, c = x[5];
  for (int i = 0; i + 1 < n; i++) {
    double a = 2 * x[i + 1] * c + 1, b = 2 * x[i] * c + 1, d = 2 * x[i] * c + 2;
    s += sin(a) * sin(b) * sin(d) + cos(c * x[i]) * cos(x[i + 1]);
  }
  return s;
}

static double of_two(const double *x) { /* the second number is a neighbour's, the same, or another */
  int n = length;
  double s = 0;
  for (int i = 1; i < n - 1; i++) {
    s += pow(1 + x[i], x[i - 1]) * pow(1 + x[i + 1], x[i]);
    s += atan2(x[i], x[2]) * atan2(x[i + 1], x[2]) + atan2(x[i], x[i + 1]) * atan2(x[i + 1], x[i]);
    s += pow(1 + x[i], 1.5) * pow(1 + x[i - 1], 1.5) * pow(1 + x[i - 1], 2.5);
  }
  return s;
}

static double strided(const double *x) { /* every second: neighbours are two elements apart */
  int n = length;
  double s = 0;
  for (int i = 0; i + 3 < n; i += 2) {
    s += sin(x[i]) * sin(x[i + 2]) * (x[i + 1] - x[i + 3]);
    s += cos(x[i]) * cos(x[i + 1]) + cos(x[i + 3]) * x[i];
  }
  return s;
}

static double points(const double *x) {
  const struct { double at, by; } *p = (const void *)x;
  int n = length / 2;
  double s = 0;
  for (int i = 0; i + 1 < n; i++) s += sin(p[i].at) * sin(p[i + 1].at) + sin(p[i].by) * sin(p[i + 1].at);
  return s;
}

static double indexed(const double *x) { /* the same number now and then */
  static const int at[N] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 3, 3, 3, 17, 16, 15, 14, 13, 0, 0, 1};
  int n = length / 2;
  double s = 0;
  for (int i = 0; i + 1 < n; i++) s += sin(x[at[i]]) * sin(x[at[i + 1]]) * x[i] + sin(x[at[i] + 1]);
  return s;
}

static double other_arrays(const double *x) {
  int n = length / 2;
  const double *y = x + n, *z = length > 3 ? x : y;
  double s = 0;
  for (int i = 0; i + 1 < n; i++) s += sin(x[i]) * sin(y[i + 1]) + cos(z[i]) * cos(x[i + 1]) * sin(y[i]);
  return s;
}

static double written(const double *x) { /* the neighbour has changed by then */
  int n = length;
  double u[N + 1], s = 0;
  for (int i = 0; i < N; i++) u[i] = x[i];
  for (int i = 0; i + 1 < n; i++) {
    s += sin(u[i]) * sin(u[i + 1]);
    u[i + 1] = u[i + 1] * 0.7 + 0.2 * x[i];
  }
  return s;
}

static double written_behind(const double *x) {
  int n = length;
  double u[N], s = 0;
  for (int i = 0; i < N; i++) u[i] = x[i];
  for (int i = 1; i < n; i++) s += sin(u[i]) * sin(u[i - 1]) * u[i];
  for (int i = 0; i < N; i++) u[i] = s * x[i];
  for (int i = 1; i < n; i++) s += 1e-3 * cos(u[i] * 0.1) * cos(u[i - 1] * 0.1);
  return s;
}

static double kept(const double *x) { /* what the iterations make is asked for later */
  int n = length;
  double w[N], s = 0;
  for (int i = 0; i < N; i++) w[i] = 0;
  for (int i = 1; i < n; i++) w[i] = sin(x[i]) * sin(x[i - 1]) + cos(x[i]);
  for (int i = 1; i < n; i++) s += w[i] * w[i] * w[i - 1];
  return s;
}

static double some(const double *x) {
  int n = length, every = lowest + 2;
  double s = 0;
  for (int i = 1; i < n; i++) {
    if (i % every == 0) continue;
    s += sin(x[i]) * sin(x[i - 1]);
    if (x[i] > 0.5) s += cos(x[i]) * cos(x[i - 1]);
  }
  for (int i = 1; i < n; i++)
    if (every > 2) s += atan(x[i]) * atan(x[i - 1]);
  return s;
}

static double wraps(const double *x) { /* one iteration later the index is 0 again */
  unsigned char from = 200;
  double s = 0;
  for (int i = 0; i < N + 30; i++) {
    unsigned char a = from + i, b = from + i + 1;
    s += sin(x[a % N]) * sin(x[b % N]) + cos(x[a & 31]) * cos(x[b & 31]);
  }
  return s;
}

static double bytes(const double *x) { /* counters of eight bits, over most of what they can be */
  double s = 0;
  for (signed char i = -128; i < 100; i += 30) s += sin(x[(i + 128) / 30]) * cos(x[(i + 158) / 30]);
  for (unsigned char i = 250; i > 20; i -= 25) s += sin(x[i / 25]) * sin(x[i / 25 - 1]);
  return s;
}

static double other_operations(const double *x) {
  int n = length;
  double s = 0, c = x[3];
  for (int i = 1; i < n; i++) {
    s += sin(x[i] + c) * sin(x[i - 1] - c) * x[i] + sin(x[i] * c) * sin(x[i - 1] / c);
    s += cos(exp(x[i])) * cos(tanh(x[i - 1])) + sin(c - x[i]) * sin(x[i - 1] - c);
  }
  return s;
}

static double of_rows(const double *x) { /* each iteration has another array */
  const double *rows[N];
  int n = length;
  double s = 0;
  for (int i = 0; i < N; i++) rows[i] = x + (7 * i) % 11;
  for (int i = 0; i + 12 < n; i++) s += sin(rows[i][i]) * sin(rows[i][i + 1]) * x[i];
  return s;
}

static double moved_by_table(const double *x) {
  static const int by[N] = {1, 0, 2, 2, 2, 5, 0, 3, 1, 1, 4, 0, 0, 2, 1, 3, 3, 3};
  int n = length;
  double s = 0;
  for (int i = 0; i + 6 < n; i++) s += sin(x[i + by[i]]) * sin(x[i + by[i] + 1]) * x[i];
  return s;
}

static double inside(const double *x) { /* in a loop around it, whose number both have */
  int n = length / 5;
  double s = 0;
  for (int k = 0; k < 5; k++) {
    double r = 0;
    for (int i = 1; i < n; i++) r += sin(x[k * n + i] * x[k]) * sin(x[k * n + i - 1] * x[k]) + cos(x[i] + x[i - 1]);
    s += r * r;
  }
  return s;
}

static double in_rounds(const double *x) { /* short loops in each iteration */
  int n = length - 4;
  double s = 0;
  for (int i = 0; i < n; i++) {
    double r = 0;
    for (int k = 0; k < 4; k++) r += sin(x[i + k]) * sin(x[i + k + 1 - k % 2]) * (k + 1);
    s += r * r * 0.1;
  }
  return s;
}

static double few(const double *x) { /* as many iterations as fit, one more, one fewer, none */
  double s = 0;
  for (int n = 0; n < 20; n++)
    for (int i = 0; i < n; i++) s += (n + 1) * 1e-2 * sin(x[i]) * cos(x[i + 1]) * sin(x[i + 1]);
  return s;
}

static double products(const double *x) { /* the result goes on into the next */
  int n = length;
  double p = 1;
  for (int i = 1; i < n; i++) p = p * 0.9 + 0.3 * sin(x[i]) * sin(x[i - 1]);
  return p;
}

DERIVED(trapezoid) DERIVED(downwards) DERIVED(three) DERIVED(far) DERIVED(through) DERIVED(of_two) DERIVED(strided)
DERIVED(points) DERIVED(indexed) DERIVED(other_arrays) DERIVED(written) DERIVED(written_behind) DERIVED(kept)
DERIVED(other_operations) DERIVED(of_rows) DERIVED(moved_by_table) DERIVED(some) DERIVED(wraps) DERIVED(bytes) DERIVED(inside) DERIVED(in_rounds) DERIVED(few) DERIVED(products)

int main(void) {
  static const int lengths[] = {N, 5, 8, 9, 10, 17, 18, 25, 3, 2, 12, 33};
  for (int k = 0; k < COUNT(lengths); k++) {
    double x[N + 1];
    length = lengths[k];
    lowest = 1 + k % 3;
    for (int i = 0; i <= N; i++) x[i] = 0.45 + 0.3 * sin(1.7 * i + 0.3 + k);
    CHECK_DERIVED(trapezoid, x);
    CHECK_DERIVED(downwards, x);
    CHECK_DERIVED(three, x);
    CHECK_DERIVED(far, x);
    CHECK_DERIVED(through, x);
    CHECK_DERIVED(of_two, x);
    CHECK_DERIVED(strided, x);
    CHECK_DERIVED(points, x);
    CHECK_DERIVED(indexed, x);
    CHECK_DERIVED(other_arrays, x);
    CHECK_DERIVED(written, x);
    CHECK_DERIVED(written_behind, x);
    CHECK_DERIVED(kept, x);
    CHECK_DERIVED(other_operations, x);
    CHECK_DERIVED(of_rows, x);
    CHECK_DERIVED(moved_by_table, x);
    CHECK_DERIVED(some, x);
    CHECK_DERIVED(wraps, x);
    CHECK_DERIVED(bytes, x);
    CHECK_DERIVED(inside, x);
    CHECK_DERIVED(in_rounds, x);
    CHECK_DERIVED(few, x);
    CHECK_DERIVED(products, x);
  }
  return check_done();
}
