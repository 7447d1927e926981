// aborts: the bits of a number are used as an integer, by 'mul'
// skip-levels: 1, 2, 3 (there the word goes through the call in a register, which is refused)
/* Arithmetic on what turns out to be the bits of a number has no derivative. */
#include "check.h"

static NOINLINE void tweak(long *p) { *p = *p * 3 + 1; }
static double tweaked(const double *x) {
  double y[2] = {x[0] * x[1], x[2]};
  tweak((long *)y);
  return y[0] * y[1];
}
DERIVED(tweaked)

int main(void) {
  const double x[] = {0.7, -1.1, 1.9};
  CHECK_DERIVED(tweaked, x);
  return check_done();
}
