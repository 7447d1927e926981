/* The ladder of labels that C programs clean up by: partial work, blocks freed on every way out. */
#include "check.h"

static int steps(const double *x, int n, double limit, double *out) {
  int status = -1;
  double *a = 0, *b = 0;
  *out = 0;
  a = malloc(n * sizeof *a);
  if (!a) goto fail;
  for (int i = 0; i < n; i++) {
    a[i] = x[i] * x[i] + (i ? a[i - 1] : 0);
    if (a[i] > limit) {
      *out = a[i] * x[0];
      goto free_a;
    }
  }
  b = malloc(n * sizeof *b);
  if (!b) goto free_a;
  for (int i = n; i-- > 0;) {
    b[i] = sin(a[i]) * x[n - 1 - i];
    if (b[i] < -limit) {
      *out = b[i] * a[i];
      status = 1;
      goto free_b;
    }
    *out += b[i] * a[n - 1 - i];
  }
  status = 0;
free_b:
  free(b);
free_a:
  free(a);
fail:
  return status;
}

static double run(const double *x, double limit) {
  double out;
  int status = steps(x, 5, limit, &out);
  return status == 0 ? out : status == 1 ? 2 * out : -out;
}
static double f(const double *x) { return run(x, 100); }
static double g(const double *x) { return run(x, 2.5); }
static double h(const double *x) { return run(x, 4.2); }
DERIVED(f)
DERIVED(g)
DERIVED(h)

int main(void) {
  double x[5] = {0.7, -1.1, 0.4, 1.2, -0.6}, y[5] = {-1.9, 1.4, -0.8, 6.5, 1.1};
  CHECK_DERIVED(f, x);
  CHECK_DERIVED(g, x);
  CHECK_DERIVED(h, x);
  CHECK_DERIVED(f, y);
  CHECK_DERIVED(g, y);
  return check_done();
}
