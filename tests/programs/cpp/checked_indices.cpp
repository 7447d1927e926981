/* Loops whose indices are checked: most get a version without checks, for when none can fail, which is asked in front of
 * them. Indices that rise, fall, go by twos, are products, lie in triangles; such as are looked up, or that a check would
 * stop if it came to it; and checks that do fail, in the first round, the last or one between: what is thrown then is
 * what the program throws, and nothing behind it has been done. */
// heavy: many loops, which become several for vectors
#include "check.h"
#include <numeric>
#include <stdexcept>
#include <vector>

typedef std::vector<double> row;
enum { N = 12 };
static volatile int count = N; /* nobody knows that */

static double rising(const double *x) {
  int n = count;
  row a(x, x + n), b(n);
  double s = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double d = a.at(i) - 0.7 * a.at(j);
      b.at(j) += std::exp(-d * d) * a.at(i);
      s += d * b.at(i);
    }
  return s;
}

/* Down, by twos, and from both ends; unsigned numbers that would wrap one further. */
static double falling(const double *x) {
  int n = count;
  row a(x, x + n), b(n + 1, 0.1);
  double s = 0;
  for (int i = n - 1; i >= 0; i--) b.at(i) = b.at(i + 1) * 0.5 + std::sin(a.at(i));
  for (size_t i = 1; i < (size_t)n; i += 2) b.at(i) *= a.at(i - 1);
  for (size_t i = n; i-- > 0;) s += a.at(i) * b.at(n - 1 - i);
  return s;
}

static double matrix(const double *x) {
  int n = count, m = 5;
  row A(n * m), y(n), v(m);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) A.at(i * m + j) = x[(i + j) % N] * x[j];
  for (int j = 0; j < m; j++) v.at(j) = x[j] + 0.3;
  for (int t = 0; t < 3; t++) {
    for (int i = 0; i < n; i++) {
      double s = 0;
      for (int j = 0; j < m; j++) s += A.at(i * m + j) * v.at(j);
      y.at(i) = std::tanh(s);
    }
    for (int j = 0; j < m; j++)
      for (int i = 0; i < n; i++) v.at(j) += 0.1 * A.at(i * m + j) * y.at(i);
  }
  double s = 0;
  for (double each : v) s += each * each;
  return s;
}

/* Row i has i + 1 numbers, one behind the other, and a vector for each. */
static double triangle(const double *x) {
  int n = count;
  std::vector<row> rows;
  double s = 0;
  for (int i = 0; i < n; i++) {
    rows.push_back(row(i + 1));
    for (int j = 0; j <= i; j++) rows.at(i).at(j) = x[i] * x[j] + (i ? 0.2 * rows.at(i - 1).at(j < i ? j : i - 1) : 0.5);
  }
  row flat(n * (n + 1) / 2);
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) flat.at(i * (i + 1) / 2 + j) = rows.at(i).at(j) * rows.at(n - 1).at(i - j);
  for (int i = n - 1; i > 0; i--)
    for (int j = i - 1; j >= 0; j--) s += flat.at(i * (i + 1) / 2 + j) * x[i - j];
  return s;
}

/* Looked up; and a check that would fail, in a branch that is not taken there. */
static double looked_up(const double *x) {
  int n = count;
  row a(x, x + n), b(n);
  std::vector<int> order(n);
  for (int i = 0; i < n; i++) order.at(i) = (i * 5) % n;
  double s = 0;
  for (int i = 0; i < n; i++) {
    b.at(order.at(i)) = a.at(i) * a.at(order.at(n - 1 - i));
    if (i + 3 < n) s += a.at(i + 3) * b.at(order.at(i));
    if (i > 0) s += std::cos(a.at(i - 1)) * a.at(i);
  }
  return s;
}

/* No rounds, for some; bounds below zero. */
static double none(const double *x) {
  double s = 0;
  for (int n = -2; n < 4; n++) {
    row a(x, x + 4);
    for (int i = 0; i < n; i++)
      for (int j = i; j < n - 1; j++) s += a.at(j) * a.at(i) * a.at(n - 1);
    for (int i = n - 1; i < 2; i++)
      if (i >= 0) s += a.at(i) * a.at(i + 1);
  }
  return s;
}

/* One check too far, or one too low: caught by who has asked for the derivative, or inside. */
static volatile int from, until, step = 1;
static double thrown(const double *x, double *seen) {
  int n = count, first = from, most = until, by = step;
  row a(x, x + n);
  double s = 0;
  for (int i = 0; i < most; i++)
    for (int j = 0; j < n; j++) {
      *seen += 1;
      s += a.at(i + first) * a.at(n - 1 - j) * a.at(by * j);
    }
  return s;
}
static double caught(const double *x) {
  int n = count;
  row a(x, x + n);
  double s = 0;
  try {
    for (int i = 0; i < 2 * n; i++) s += a.at(i) * a.at(i) * x[1];
  } catch (const std::out_of_range &) {
    s = s * 0.5 + a.at(2);
  }
  return s;
}

/* Asked by hand, of 32 bits; a negative one is no index, but is not asked about. */
static NOINLINE void stop(void) { throw std::length_error("too far"); }
static NOINLINE double by_hand(const double *x, int n, unsigned m) {
  double s = 0;
  for (int i = 0; i < n; i++) {
    if (i >= N) stop();
    double t = x[i];
    for (unsigned j = 0; j < m; j++) {
      if (j + 2 > N) stop();
      t += x[j + 1] * s * 0.01;
    }
    if (!(t < 1e6)) stop();
    s += t * t;
  }
  return s;
}
static double hand(const double *x) { return by_hand(x, count, count - 2u) + by_hand(x, -1, 3) + by_hand(x, 4, 0); }

DERIVED(rising)
DERIVED(falling)
DERIVED(matrix)
DERIVED(triangle)
DERIVED(looked_up)
DERIVED(none)
DERIVED(caught)
DERIVED(hand)

int main(void) {
  double x[N];
  for (int i = 0; i < N; i++) x[i] = 0.4 + 0.3 * std::sin(1.9 * i + 0.2);
  for (int round = 0; round < 2; round++) {
    CHECK_DERIVED(rising, x);
    CHECK_DERIVED(falling, x);
    CHECK_DERIVED(matrix, x);
    CHECK_DERIVED(triangle, x);
    CHECK_DERIVED(looked_up, x);
    CHECK_DERIVED(none, x);
    CHECK_DERIVED(caught, x);
    CHECK_DERIVED(hand, x);
    for (int i = 0; i < N; i++) x[i] = 0.9 * x[i] - 0.02 * i;
  }
  for (int k = 0; k < 24; k++) {
    double seen = 0, again = 0, gradient[N] = {0}, g0 = 0, s = 0;
    bool threw = false, derived = false;
    from = k % 4 - 2, until = N - 3 + k / 4 % 3, step = 1 - k / 12 % 2 * 2 * (k % 3 == 1);
    if (k == 23) from = 3, until = N + 3;
    if (k == 22) from = 5, until = -2, step = 7;
    try {
      s = thrown(x, &seen);
      for (int i = 0; i < N; i++) {
        double y[N], none = 0;
        for (int j = 0; j < N; j++) y[j] = x[j] + (i == j) * 1e-3;
        double more = thrown(y, &none);
        y[i] -= 2e-3;
        g0 += (more - thrown(y, &none)) / 2e-3; /* a polynomial of the third degree */
        y[i] += 1e-3;
      }
    } catch (const std::out_of_range &) {
      threw = true;
    }
#ifndef REFERENCE
    try {
      double none = 0;
      __enzyme_autodiff<void>((void *)thrown, enzyme_dup, x, gradient, enzyme_dup, &again, &none);
    } catch (const std::out_of_range &) {
      derived = true;
    }
    check_value("as far as the program", again, seen, 0);
    if (!threw) check_value("a gradient", std::accumulate(gradient, gradient + N, 0.0), g0, 1e-4);
#else
    derived = threw;
#endif
    check_value("thrown by the derivative, too", derived, threw, 0);
    bool fits = until <= 0 || (from >= 0 && from + until <= N && step == 1);
    check_value("thrown where it is too far", threw, !fits, 0);
    check_value("a sum", std::isfinite(s), 1, 0);
  }
  return check_done();
}
