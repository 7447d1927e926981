/* posix_memalign, aligned_alloc, memalign: blocks that come back through an argument or as a result. */
#include "check.h"
#include <malloc.h>

static NOINLINE double *make(int n) {
  void *block = 0;
  if (posix_memalign(&block, 64, n * sizeof(double))) return 0;
  return block;
}

static double scratch(const double *x, int n) {
  double *a, *b = aligned_alloc(64, 64 * ((n * 8 + 63) / 64)), *c = memalign(32, n * sizeof(double)), *d = make(n);
  if (posix_memalign((void **)&a, 32, n * sizeof(double)) != 0) return -1;
  double s = 0;
  for (int i = 0; i < n; i++) {
    a[i] = x[i] * x[i];
    b[i] = a[i] * (i ? b[i - 1] : 1) + x[n - 1 - i];
    c[i] = sin(b[i]);
    d[i] = a[i] * c[i];
  }
  for (int i = 0; i < n; i++) s += c[i] * a[n - 1 - i] + d[i] * b[i];
  free(a);
  free(b);
  free(c);
  free(d);
  return s;
}

static double in_loop(const double *x, int n) {
  double s = 1;
  for (int i = 0; i < n; i++) {
    void *p;
    if (posix_memalign(&p, 16, (i + 1) * sizeof(double))) abort();
    double *t = p;
    for (int k = 0; k <= i; k++) t[k] = x[k] * s;
    for (int k = 0; k <= i; k++) s += t[k] * t[i - k] * 0.1;
    free(p);
  }
  return s;
}

static double scratch_objective(const double *x) { return scratch(x, 5); }
static void scratch_gradient(const double *x, double *g) { __enzyme_autodiff((void *)scratch, x, g, 5); }
static double scratch_tangent(const double *x, const double *v) {
  return __enzyme_fwddiff((void *)scratch, enzyme_dup, x, v, 5);
}
static double loop_objective(const double *x) { return in_loop(x, 5); }
static void loop_gradient(const double *x, double *g) { __enzyme_autodiff((void *)in_loop, x, g, 5); }
static double loop_tangent(const double *x, const double *v) {
  return __enzyme_fwddiff((void *)in_loop, enzyme_dup, x, v, 5);
}

int main(void) {
  double x[5] = {0.6, -0.45, 0.8, 0.5, 0.3};
  for (int round = 0; round < 2; round++) {
    CHECK(scratch_objective, scratch_gradient, scratch_tangent, x);
    CHECK(loop_objective, loop_gradient, loop_tangent, x);
  }
  return check_done();
}
