/* Loops without loops in them that hand one number on by a choice: reversed until the iteration that was chosen last. */
#include "../check.h"

enum { N = 12 };
static int n = N;

/* the plain largest, of as many as there are: also of one, where the loop does not run */
static double largest(const double *x) {
  double m = x[0];
  for (int i = 1; i < n; i++)
    if (m < x[i]) m = x[i];
  return m * x[1];
}
DERIVED(largest)

/* the last of equals, and what the iteration computes */
static double last_of_equals(const double *x) {
  double m = -100;
  for (int i = 0; i < n; i++) {
    double v = sin(x[i]) * x[(i * 5) % N];
    if (m <= v) m = v;
  }
  return m;
}
DERIVED(last_of_equals)

/* never chosen: all goes to what the loop began with */
static double never(const double *x) {
  double m = x[3] + 50;
  for (int i = 0; i < n; i++) m = x[i] * x[i] > m ? x[i] * x[i] : m;
  return m * m;
}
DERIVED(never)

/* always chosen: the first iteration of the reversed loop is its last */
static double always(const double *x) {
  double m = x[0];
  for (int i = 0; i < n; i++) m = x[i] > -50 ? x[i] * x[2] : m;
  return m;
}
DERIVED(always)

/* chosen by a number that does not depend on x, or one handed on beside */
static double by_counter(const double *x) {
  double m = x[0];
  int seen = 0;
  for (int i = 0; i < n; i++) {
    seen += i % 3 == 1;
    m = seen < 3 && i % 2 ? x[i] * x[i] : m;
  }
  return m * seen;
}
DERIVED(by_counter)

/* what is handed on is scaled: not a choice alone */
static double scaled(const double *x) {
  double m = x[0];
  for (int i = 0; i < n; i++) m = m * 0.9 < x[i] ? x[i] : m * 0.9;
  return m;
}
DERIVED(scaled)

/* what is handed on is used on the way as well */
static double used(const double *x) {
  double m = x[0], s = 0;
  for (int i = 0; i < n; i++) {
    m = m < x[i] ? x[i] : m;
    s += m * x[i];
  }
  return s + m;
}
DERIVED(used)

/* two at once, one of them what the other is not */
static double both(const double *x) {
  double m = x[0], k = x[0];
  for (int i = 1; i < n; i++) {
    m = m < x[i] ? x[i] : m;
    k = k > x[i] ? x[i] : k;
  }
  return m * k;
}
DERIVED(both)

/* what iterations store goes on beside */
static double stored(const double *x) {
  double y[N], m = x[0], s = 0;
  for (int i = 0; i < n; i++) {
    y[i] = x[i] * x[i];
    m = m < y[i] ? y[i] : m;
  }
  for (int i = 0; i < n; i++) s += exp(y[i] - m);
  return log(s) + m;
}
DERIVED(stored)

/* in loops, whose number is known in front or only to the data, each with a tape of its own */
static double in_loops(const double *x) {
  double s = 0, z[N];
  for (int i = 0; i < N; i++) z[i] = x[i];
  for (int k = 0; k < 5; k++) {
    double m = z[k];
    for (int i = k; i < n - k; i++) {
      double v = z[i] * z[(i + k) % N];
      if (m < v) m = v;
    }
    s += m * x[k];
    for (int i = 0; i < n; i++) z[i] = 0.5 * z[i] + 0.1 * m * cos(z[(i + 1) % N]);
  }
  while (s * s > 1e-3) {
    double m = z[0] - 1;
    for (int i = 0; i < n && i < 40 * fabs(s); i++)
      if (m < z[i] * s) m = z[i] * s;
    s = 0.4 * s + 0.01 * m;
  }
  return s * 100;
}
DERIVED(in_loops)

/* by pairs, with the index beside; what was chosen is looked at behind the loop */
static double with_index(const double *x) {
  double m = x[0];
  int at = 0;
  for (int i = 1; i < n; i++)
    if (x[i] * x[i - 1] > m) m = x[i] * x[i - 1], at = i;
  return m * x[at] + at;
}
DERIVED(with_index)

/* a hole: what is read is overwritten before the way back */
static double overwritten(const double *x) {
  double y[N], m = -3, s = 0;
  for (int i = 0; i < n; i++) y[i] = x[i] * 2;
  for (int i = 0; i < n; i++) m = m < y[i] * y[i] * x[0] ? y[i] * y[i] * x[0] : m;
  for (int i = 0; i < n; i++) y[i] = m * x[i];
  for (int i = 0; i < n; i++) s += y[i] * y[i];
  return s;
}
DERIVED(overwritten)

static double single(const double *x) {
  float m = (float)x[0];
  for (int i = 1; i < n; i++) m = m < (float)x[i] ? (float)x[i] : m;
  return (double)m * 2;
}
static void single_gradient(const double *x, double *g) { __enzyme_autodiff((void *)single, enzyme_dup, x, g); }

/* Numbers that are not ordered are never chosen, nor are those behind one that is handed on. */
static void check_ties(void) {
  double x[N] = {1, 3, 2, 3, -1, 3, 0.5, 3, 2, 1, 0, -2}, g[N] = {0}, h[N] = {0};
  CHECK_ENGINE(largest_gradient(x, g));
  for (int i = 0; i < N; i++) check_close("ties", i, g[i], i == 1 ? 6 : 0, 1e-12);
  x[0] = NAN;
  CHECK_ENGINE(single_gradient(x, h));
  for (int i = 0; i < N; i++) check_close("behind NaN", i, h[i], i == 0 ? 2 : 0, 1e-6);
  double k[N] = {0};
  x[0] = 1, x[4] = NAN, x[5] = 7;
  CHECK_ENGINE(single_gradient(x, k));
  for (int i = 0; i < N; i++) check_close("past NaN", i, k[i], i == 5 ? 2 : 0, 1e-6);
}

int main(void) {
  double x[N];
  for (int shift = 0; shift < N; shift++) {
    for (int i = 0; i < N; i++) x[(i + shift) % N] = 0.3 + cos(1.3 * i) + 0.02 * i;
    for (n = shift ? N : 1; n <= N; n += 3) {
      CHECK_DERIVED(largest, x);
      CHECK_DERIVED(last_of_equals, x);
      CHECK_DERIVED(never, x);
      CHECK_DERIVED(always, x);
      CHECK_DERIVED(by_counter, x);
      CHECK_DERIVED(scaled, x);
      CHECK_DERIVED(used, x);
      CHECK_DERIVED(both, x);
      CHECK_DERIVED(stored, x);
      CHECK_DERIVED(in_loops, x);
      CHECK_DERIVED(with_index, x);
      CHECK_DERIVED(overwritten, x);
    }
    n = N;
  }
  CHECK_ENGINE(check_ties());
  return check_done();
}
