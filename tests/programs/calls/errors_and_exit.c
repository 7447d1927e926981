/* Ways out of the program from inside of nested calls that are not taken, errno, and cleanups registered before. */
#include "check.h"
#include <errno.h>

static NOINLINE void fail(const char *what, int code) {
  fprintf(stderr, "%s: %s\n", what, strerror(code));
  exit(code);
}
static NOINLINE double guarded_log(double v) {
  if (v <= 0) fail("log", EDOM);
  errno = 0;
  double r = log(v);
  if (errno == ERANGE) abort();
  return r;
}
static NOINLINE double guarded_ratio(const double *a, int n) {
  double s = 0;
  for (int i = 1; i < n; i++) {
    if (a[i - 1] == 0) {
      fail("division", EDOM);
      return 0;
    }
    s += guarded_log(2 + a[i] / a[i - 1]);
  }
  return s;
}
static double f(const double *x) { return guarded_ratio(x, 5) * guarded_log(x[0] * x[0]); }
DERIVED(f)

int main(void) {
  double x[5] = {0.6, 0.7, -0.55, 0.75, -0.3};
  CHECK_DERIVED(f, x);
  return check_done();
}
