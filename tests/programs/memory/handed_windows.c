/* Loops in which the iteration before hands a neighbour on that it has loaded: an element of the window of shadows, if
 * it was the same element in front of the loop, and nothing has overwritten it. Upward, downward, two elements handed
 * on, strides, one iteration and none, and what looks like it and is not: another element or number in front of the
 * loop, elements overwritten there, in the loop, or by a call, and what is handed out of the loop. */
#include "check.h"

#define N 12

static double finish(const double *y, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) s += y[i] * y[i] * (1 + 0.1 * i);
  return s;
}

/* As an optimiser leaves y[i + 1] * y[i - 1] - y[i], with what is in front of the loop given. */
#define LOOP(first, last, handed)                            \
  for (int i = first; i < last; i++) {                       \
    double next = y[i + 1];                                  \
    z[i] = (next - y[i - 2]) * y[i - 1] - sin(handed) + 0.2; \
    handed = next;                                           \
  }

static NOINLINE void handed(const double *restrict y, double *restrict z, int from, int n) {
  double b = y[from];
  LOOP(from, n, b)
}
static double counts(const double *x) {
  double s = 0;
  for (int n = 2; n < N - 1; n++) {
    double y[N], *z = calloc(N, sizeof(double));
    for (int i = 0; i < N; i++) y[i] = x[i] * x[i];
    handed(y, z, 2, n);
    handed(z, y, 3, n);
    s += finish(z, N) + finish(y, N);
    free(z);
  }
  return s;
}
DERIVED(counts)

static NOINLINE void two(const double *restrict y, double *restrict z, int n) {
  double a = y[0], b = y[1];
  for (int i = 1; i < n - 2; i++) {
    double next = y[i + 1];
    z[i] = next * a + b * b * y[i + 2] - y[i - 1];
    a = b;
    b = next;
  }
}
static NOINLINE void down(const double *restrict y, double *restrict z, int n) {
  double b = y[n - 2];
  for (int i = n - 2; i > 1; i--) {
    double next = y[i - 1];
    z[i] = y[i + 1] * b - next * y[i - 2];
    b = next;
  }
}
static NOINLINE void pairs(const double *restrict y, double *restrict z, int n) {
  double b = y[4];
  for (int i = 4; i + 2 < n; i += 2) {
    double next = y[i + 2];
    z[i] = y[i - 4] * b - next * y[i - 2];
    b = next;
  }
}
static double others(const double *x) {
  double s = 0;
  for (int n = 4; n < N; n++) {
    double y[N], z[N];
    for (int i = 0; i < N; i++) y[i] = x[i] * x[i], z[i] = 0;
    two(y, z, n);
    down(z, y, n);
    pairs(y, z, n);
    s += finish(z, N) + finish(y, N);
  }
  return s;
}
DERIVED(others)

/* Something else comes into the first iteration. */
static NOINLINE void other_element(const double *restrict y, double *restrict z, int at, int n) {
  double b = y[at];
  LOOP(2, n, b)
}
static NOINLINE void other_number(const double *restrict y, double *restrict z, int n) {
  double b = y[2] * y[1];
  LOOP(2, n, b)
}
static NOINLINE void before_it_changed(double *restrict y, double *restrict z, int n) {
  double b = y[2];
  y[2] = y[1] * b;
  LOOP(2, n, b)
}
static NOINLINE void change(double *y, int at) { y[at] *= y[at] + 0.5; }
static NOINLINE void before_a_call(double *restrict y, double *restrict z, int at, int n) {
  double b = y[2];
  change(y, at);
  LOOP(2, n, b)
}
static NOINLINE void before_a_loop(double *restrict y, double *restrict z, int n) {
  double b = y[2];
  for (int i = 1; i < n; i++) y[i] = y[i] * y[i] * 0.5;
  LOOP(2, n, b)
}
static double something_else(const double *x) {
  double s = 0;
  for (int n = 2; n < N - 1; n += 3) {
    double y[N], z[N];
    for (int i = 0; i < N; i++) y[i] = x[i] * x[i], z[i] = 0;
    other_element(y, z, n % 4, n);
    other_number(z, y, n);
    before_it_changed(y, z, n);
    before_a_call(z, y, 2, n);
    before_a_call(y, z, 3, n);
    before_a_loop(y, z, n);
    s += finish(z, N) + finish(y, N);
  }
  return s;
}
DERIVED(something_else)

/* What is handed on has changed since, or is wanted behind the loop. */
static NOINLINE void in_place(double *y, int n) {
  double b = y[2];
  for (int i = 2; i < n; i++) {
    double next = y[i + 1];
    y[i + 1] = next * y[i - 1] - sin(b) * y[i - 2];
    b = next;
  }
}
static NOINLINE void may_meet(const double *y, double *z, int n) {
  double b = y[2];
  LOOP(2, n, b)
}
static NOINLINE double handed_out(const double *restrict y, double *restrict z, int n) {
  double b = y[2], c = 1;
  for (int i = 2; i < n; i++) {
    double next = y[i + 1];
    z[i] = (next - y[i - 2]) * y[i - 1] - sin(b);
    c = b;
    b = next;
  }
  return b * c;
}
static double in_motion(const double *x) {
  double s = 0;
  for (int n = 2; n < N - 1; n += 2) {
    double y[N + 3], z[N + 3];
    for (int i = 0; i < N + 3; i++) y[i] = x[i % N] * x[i % N], z[i] = 0.1 * i;
    in_place(y, n);
    may_meet(y, z, n);
    for (int by = 0; by < 3; by++) may_meet(y, y + by, n);
    may_meet(y + 1, y, n);
    s += handed_out(z, y, n) + finish(z, N) + finish(y, N + 2);
  }
  return s;
}
DERIVED(in_motion)

/* In time steps, in place; the ends are wrapped, and the element in front of the loop is one that each step overwrites. */
static double steps(const double *x) {
  double y[N], s = 0, *z = malloc(sizeof(double) * N);
  for (int i = 0; i < N; i++) y[i] = x[i];
  for (int step = 0; step < 4; step++) {
    z[0] = (y[1] - y[N - 2]) * y[N - 1] - y[0];
    z[1] = (y[2] - y[N - 1]) * y[0] - y[1];
    double b = y[2];
    LOOP(2, N - 1, b)
    z[N - 1] = (y[0] - y[N - 3]) * y[N - 2] - y[N - 1];
    for (int i = 0; i < N; i++) y[i] += 0.05 * z[i];
  }
  s = finish(y, N);
  free(z);
  return s;
}
DERIVED(steps)

int main(void) {
  double x[N];
  for (int i = 0; i < N; i++) x[i] = 0.7 + 0.03 * ((i * 7) % 12);
  CHECK_DERIVED(counts, x);
  CHECK_DERIVED(others, x);
  CHECK_DERIVED(something_else, x);
  CHECK_DERIVED(in_motion, x);
  CHECK_DERIVED(steps, x);
  return check_done();
}
