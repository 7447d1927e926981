// refused: cannot tell what
/* A function that copies bytes, called with integers, and differentiated by itself as well: nothing says that those who
 * ask for that derivative mean integers, too. */
#include "check.h"

static NOINLINE void move(void *to, const void *from) { memcpy(to, from, 8); }

static double integers(const double *x) {
  long a[2] = {3, 4}, b[2];
  move(b, a);
  move(b + 1, a + 1);
  return x[0] * b[0] * b[1];
}
DERIVED(integers)

int main(void) {
  double x[] = {0.7, -1.1}, to = 0, dx[2] = {0}, dto = 1;
  CHECK_DERIVED(integers, x);
  __enzyme_autodiff((void *)move, enzyme_dup, &to, &dto, enzyme_dup, x, dx);
  check_close("move", 0, dx[0], 1, 0);
  return check_done();
}
