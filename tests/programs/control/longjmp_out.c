/* setjmp comes back a second time into a frame that has moved on: named, not guessed at. */
// refused: setjmp
#include "check.h"
#include <setjmp.h>

static jmp_buf out;
static NOINLINE double careful(double v) {
  if (v > 10) longjmp(out, 1);
  return v * v;
}
static double f(const double *x) {
  if (setjmp(out)) return 0;
  return careful(x[0]) + careful(x[1]);
}
DERIVED(f)

int main(void) {
  double x[2] = {0.6, -0.5};
  CHECK_DERIVED(f, x);
  return check_done();
}
