/* Labels as values: threaded code. */
#include "check.h"

static double threaded(const double *x, const unsigned char *code) {
  static const void *const target[] = {&&add, &&mul, &&wave, &&stop};
  double s = 0.5;
  int i = 0;
  goto *target[*code];
add:
  s += x[i++ % 4];
  goto *target[*++code];
mul:
  s *= x[i++ % 4];
  goto *target[*++code];
wave:
  s = sin(s);
  goto *target[*++code];
stop:
  return s;
}
static double f(const double *x) {
  static const unsigned char code[] = {0, 1, 2, 0, 0, 1, 2, 1, 0, 3};
  return threaded(x, code);
}
DERIVED(f)

int main(void) {
  double x[4] = {0.6, -0.5, 0.8, 0.7};
  CHECK_DERIVED(f, x);
  return check_done();
}
