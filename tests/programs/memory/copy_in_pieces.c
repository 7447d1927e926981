// aborts: a block copy ends in the midst of a number
/* Two copies, whose lengths only the running program knows, move one number between them. */
#include "check.h"

static NOINLINE void move(char *to, const char *from, int first) {
  memcpy(to, from, first);
  memcpy(to + first, from + first, 8 - first);
}

double pieces(const double *x) {
  double a = x[0] * x[1], b = 0;
  move((char *)&b, (char *)&a, 3 + (x[0] > 100));
  return b * b + x[2] * x[3];
}
DERIVED(pieces)

int main(void) {
  double x[] = {1.3, -0.7, 2.1, 0.4};
  CHECK_DERIVED(pieces, x);
  return check_done();
}
