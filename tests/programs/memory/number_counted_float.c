// aborts: the bits of a number are used as an integer, by 'add'
// skip-levels: 1, 2, 3 (there the word goes through the call in a register, which is refused)
/* Arithmetic on what turns out to be the bits of a float has no derivative. */
#include "check.h"

static NOINLINE void next(int *p) { *p = *p + 1; }
static double stepped(const double *x) {
  float y[2] = {(float)(x[0] * x[1]), (float)x[2]};
  next((int *)y);
  return y[0] * y[1];
}
DERIVED(stepped)

int main(void) {
  const double x[] = {0.7, -1.1, 1.9};
  CHECK_DERIVED(stepped, x);
  return check_done();
}
