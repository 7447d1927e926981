/* Divisions whose divisor serves several: derivatives may multiply by its reciprocal. */
#include "../check.h"

enum { N = 6 };
static int n = N;

static double projected(const double *x) {
  double z = 2 + x[2] * x[3];
  return x[0] / z * x[4] + sin(x[1] / z) + x[5] / (z * z);
}
DERIVED(projected)

/* by one number in all iterations, which is written over then */
static double by_the_length(const double *x) {
  double length = 0.5, s = 0, y[N];
  for (int i = 0; i < n; i++) length += x[i] * x[i];
  double root = sqrt(length);
  for (int i = 0; i < n; i++) y[i] = x[i] / root;
  root = 1;
  for (int i = 0; i < n; i++) {
    s += y[i] * sin(y[(i + 1) % n]) / root;
    root += 0.1 * y[i];
  }
  return s / 3;
}
DERIVED(by_the_length)

/* the reciprocal is there: behind the quotient, in front of it, on one way only, as a root's */
static double beside(const double *x) {
  double y = 1.5 + x[0], s = x[1] / y, r = 1 / y;
  double t = 1 / (x[2] * x[2] + 1), u = x[3] * t + x[4] / (x[2] * x[2] + 1);
  double root = sqrt(2 + x[5] * x[0]), v = 1 / root;
  double w = -1 / root + 0.25 / root;
  if (x[1] > 0) s += 1 / (y + s) + x[2] / (y + s);
  return s * r + u * v * root + w;
}
DERIVED(beside)

static double turned(const double *x) { /* an axis from a rotation, where there is one */
  double square = x[0] * x[0] + x[1] * x[1] + x[2] * x[2];
  if (square == 0) return x[3] * x[0] + x[4];
  double angle = sqrt(square), inverse = 1 / angle, c = cos(angle), s = sin(angle);
  double along = (x[0] * x[3] + x[1] * x[4] + x[2] * x[5]) * inverse * (1 - c);
  return along * x[0] * inverse + s * x[1] * inverse + c * x[4];
}
DERIVED(turned)

static double divided_in_place(const double *x) {
  double a[N], s = 0;
  memcpy(a, x, sizeof a);
  for (int k = 0; k < 3; k++) {
    double pivot = a[k] + 3;
    for (int i = k + 1; i < n; i++) a[i] = (a[i] - 0.1 * a[k]) / pivot;
    a[k] = pivot / (k + 2);
  }
  for (int i = 0; i < n; i++) s += a[i] * a[i];
  return s;
}
DERIVED(divided_in_place)

static double singles(const double *x) {
  float d = 2 + (float)(x[0] * x[0]), s = 0;
  for (int i = 0; i < N; i++) s += (float)x[i] / d;
  return (double)(s / d);
}

/* a divisor of zero, and numbers that nothing is asked of or that are zero themselves */
static double by_zero(const double *x) {
  double a = x[0] / x[2], b = x[1] / x[2];
  return x[2] != 0 ? a + b : x[0] * x[1];
}
static double weighed(const double *x) {
  double a = x[0] / x[2], b = x[1] / x[2];
  return a * x[3] + b;
}

int main(void) {
  double x[N], g[N];
  for (int i = 0; i < N; i++) x[i] = sin(1.3 * i) + 0.3;
  for (n = 0; n <= N; n += 3) {
    CHECK_DERIVED(projected, x);
    CHECK_DERIVED(by_the_length, x);
    CHECK_DERIVED(divided_in_place, x);
  }
  n = N;
  CHECK_DERIVED(beside, x);
  CHECK_DERIVED(turned, x);
  x[1] = -x[1];
  CHECK_DERIVED(beside, x);
#if ENGINE
  memset(g, 0, sizeof g);
  __enzyme_autodiff((void *)singles, enzyme_dup, x, g);
  double d = 2 + x[0] * x[0], sum = 0;
  for (int i = 0; i < N; i++) sum += x[i];
  for (int i = 0; i < N; i++) check_close("singles", i, g[i], 1 / (d * d) - (i ? 0 : 4 * x[0] * sum / (d * d * d)), 1e-5);
  double zero[4] = {3, 5, 0, 2};
  memset(g, 0, sizeof g);
  __enzyme_autodiff((void *)by_zero, enzyme_dup, zero, g);
  check_close("by_zero", 0, g[0], 5, 0);
  check_close("by_zero", 1, g[1], 3, 0);
  check_close("by_zero", 2, g[2], 0, 0);
  double far[4] = {3, 5, INFINITY, 2};
  memset(g, 0, sizeof g);
  __enzyme_autodiff((void *)weighed, enzyme_dup, far, g);
  for (int i = 0; i < 4; i++) check_close("weighed, far", i, g[i], 0, 0);
  double none[4] = {3, 5, 0, 0};
  memset(g, 0, sizeof g);
  __enzyme_autodiff((void *)weighed, enzyme_dup, none, g);
  check_close("weighed, by zero", 0, g[0], 0, 0); /* nothing comes in */
  check_close("weighed, by zero", 1, g[1] == INFINITY, 1, 0);
  check_close("weighed, by zero", 3, g[3] == INFINITY, 1, 0);
#endif
  (void)g;
  return check_done();
}
