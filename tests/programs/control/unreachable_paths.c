/* abort, assert, exit and __builtin_unreachable on ways that are not taken. */
#include "check.h"
#include <assert.h>

static NOINLINE void die(const char *why) {
  fprintf(stderr, "%s\n", why);
  exit(4);
}
static NOINLINE double checked(const double *x, int n, int kind) {
  double s = 0;
  assert(n > 0 && "at least one");
  for (int i = 0; i < n; i++) {
    if (isnan(x[i])) die("not a number");
    switch ((kind + i) & 3) {
    case 0: s += x[i] * x[i]; break;
    case 1: s *= x[i]; break;
    case 2: s = sin(s + x[i]); break;
    case 3:
      if (s > 1e300) abort();
      s -= 0.5 * x[i];
      break;
    default: __builtin_unreachable();
    }
    assert(s < 1e10);
  }
  if (s != s) __builtin_trap();
  return s;
}
static double f(const double *x) { return checked(x, 6, 0) * checked(x, 5, 2); }
DERIVED(f)

int main(void) {
  double x[6] = {0.6, -0.5, 0.8, 0.7, -0.9, 0.75};
  CHECK_DERIVED(f, x);
  return check_done();
}
