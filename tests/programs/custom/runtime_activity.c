/* enzyme_runtime_activity: a shadow that is the memory itself says that this memory is inactive. */
#include "check.h"

extern int enzyme_runtime_activity;

struct view {
  double *data;
  const double *scale;
  int n;
};

static NOINLINE double *choose(double *a, double *b, int i) { return i & 1 ? a : b; }

/* Reads, writes and copies through pointers that lead to either of two blocks. */
static NOINLINE double f(double *a, double *b, int n) {
  double s = 0, t[4];
  for (int i = 0; i < n; i++) {
    double *p = choose(a, b, i);
    p[i] = p[i] * p[(i + 1) % n];
    s += p[i] * a[i] + b[i];
  }
  memcpy(t, choose(a, b, n), sizeof t);
  s += t[0] * t[1];
  memcpy(choose(a, b, n), t, 2 * sizeof *t);
  return s + a[0] * b[1];
}
/* Pointers in structures, stored and loaded. */
static NOINLINE double g(const struct view *v) {
  struct view w = *v;
  double *saved[2] = {w.data, (double *)w.scale};
  double s = 0;
  for (int i = 0; i < w.n; i++) s += saved[i & 1][i] * w.data[i] * w.scale[i];
  return s;
}

static double objective(const double *x) {
  double a[4], b[4] = {1.5, -0.5, 0.25, 2};
  memcpy(a, x, sizeof a);
  return f(a, b, 4);
}
static double other(const double *x) {
  double a[4] = {1.5, -0.5, 0.25, 2}, b[4];
  memcpy(b, x, sizeof b);
  return f(a, b, 4);
}
static double both(const double *x) {
  double a[4], b[4];
  memcpy(a, x, sizeof a);
  memcpy(b, x, sizeof b);
  return f(a, b, 4);
}
static const double fixed[4] = {1.5, -0.5, 0.25, 2};
static double structured(const double *x) {
  double a[4];
  memcpy(a, x, sizeof a);
  struct view v = {a, fixed, 4};
  return g(&v);
}

static void reverse(const double *x, double *d) {
  double a[4], b[4] = {1.5, -0.5, 0.25, 2};
  memcpy(a, x, sizeof a);
  __enzyme_autodiff((void *)f, enzyme_runtime_activity, enzyme_dup, a, d, enzyme_dup, b, b, 4);
}
static double forward(const double *x, const double *v) {
  double a[4], b[4] = {1.5, -0.5, 0.25, 2}, d[4];
  memcpy(a, x, sizeof a);
  memcpy(d, v, sizeof d);
  return __enzyme_fwddiff((void *)f, enzyme_runtime_activity, enzyme_dup, a, d, enzyme_dup, b, b, 4);
}
static void reverse_other(const double *x, double *d) {
  double a[4] = {1.5, -0.5, 0.25, 2}, b[4];
  memcpy(b, x, sizeof b);
  __enzyme_autodiff((void *)f, enzyme_runtime_activity, enzyme_const, a, enzyme_dup, b, d, 4);
}
static double forward_other(const double *x, const double *v) {
  double a[4] = {1.5, -0.5, 0.25, 2}, b[4], d[4];
  memcpy(b, x, sizeof b);
  memcpy(d, v, sizeof d);
  return __enzyme_fwddiff((void *)f, enzyme_runtime_activity, enzyme_dup, a, a, enzyme_dup, b, d, 4);
}
static void reverse_both(const double *x, double *d) {
  double a[4], b[4], da[4] = {0}, db[4] = {0};
  memcpy(a, x, sizeof a);
  memcpy(b, x, sizeof b);
  __enzyme_autodiff((void *)f, enzyme_runtime_activity, enzyme_dup, a, da, enzyme_dup, b, db, 4);
  for (int i = 0; i < 4; i++) d[i] += da[i] + db[i];
}
static double forward_both(const double *x, const double *v) {
  double a[4], b[4], da[4], db[4];
  memcpy(a, x, sizeof a);
  memcpy(b, x, sizeof b);
  memcpy(da, v, sizeof a);
  memcpy(db, v, sizeof b);
  return __enzyme_fwddiff((void *)f, enzyme_runtime_activity, enzyme_dup, a, da, enzyme_dup, b, db, 4);
}
static void reverse_structured(const double *x, double *d) {
  double a[4];
  memcpy(a, x, sizeof a);
  struct view v = {a, fixed, 4}, w = {d, fixed, 4};
  __enzyme_autodiff((void *)g, enzyme_runtime_activity, enzyme_dup, &v, &w);
}
static double forward_structured(const double *x, const double *t) {
  double a[4], d[4];
  memcpy(a, x, sizeof a);
  memcpy(d, t, sizeof d);
  struct view v = {a, fixed, 4}, w = {d, fixed, 4};
  return __enzyme_fwddiff((void *)g, enzyme_runtime_activity, enzyme_dup, &v, &w);
}

int main(void) {
  double x[4] = {0.3, -0.7, 1.2, 0.4};
  CHECK(objective, reverse, forward, x);
  CHECK(other, reverse_other, forward_other, x);
  CHECK(both, reverse_both, forward_both, x);
  CHECK(structured, reverse_structured, forward_structured, x);
  return check_done();
}
