/* What the compiler may believe about calls: const, pure, malloc, returns_nonnull, noreturn, always_inline, flatten. */
#include "check.h"

static __attribute__((const, noinline)) double cube(double v) { return v * v * v; }
static __attribute__((pure, noinline)) double norm(const double *a, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) s += a[i] * a[i];
  return sqrt(s);
}
static __attribute__((malloc, returns_nonnull, noinline)) double *fresh(int n) {
  double *p = calloc(n, sizeof *p);
  if (!p) abort();
  return p;
}
static __attribute__((always_inline)) inline double twice(double v) { return 2 * v; }
static __attribute__((noreturn, cold, noinline)) void stop(void) { exit(9); }
static __attribute__((hot, flatten)) double all(const double *x, int n) {
  double *p = fresh(n), s = 0;
  if (n > 100) stop();
  for (int i = 0; i < n; i++) {
    p[i] = twice(x[i]) * norm(x, n) + cube(x[i]);
    if (__builtin_expect(p[i] > 1e9, 0)) stop();
    s += p[i] * cube(norm(p, i + 1)) + cube(s) * 1e-3;
  }
  free(p);
  return s;
}
static double f(const double *x) { return all(x, 4); }
DERIVED(f)

int main(void) {
  double x[4] = {0.6, 0.7, -0.55, 0.75};
  CHECK_DERIVED(f, x);
  return check_done();
}
