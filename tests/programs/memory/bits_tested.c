/* Tests of a number's bits that are no part of its derivative: sign, exponent, high word, equality of bits. */
#include "check.h"

static int exponent(double v) {
  uint64_t u;
  memcpy(&u, &v, 8);
  return (int)((u >> 52) & 0x7ff) - 1023;
}
static int negative(double v) {
  uint64_t u;
  memcpy(&u, &v, 8);
  return (int)(u >> 63);
}
static int same(double a, double b) { return memcmp(&a, &b, 8) == 0; }
static double f(const double *x) {
  double s = 0;
  for (int i = 0; i < 4; i++) {
    int e = exponent(x[i]);
    double v = negative(x[i]) ? -x[i] : x[i] * 2;
    if (same(x[i], x[(i + 2) % 4])) v *= 3;
    s += v * v * (e + 4);
    union { double d; uint32_t w[2]; } u = {x[i]};
    if ((u.w[1] & 0x7fffffff) > 0x3fe00000) s += sin(x[i]);
  }
  return s;
}
DERIVED(f)

int main(void) {
  double x[4] = {0.6, -0.45, 0.8, -0.3};
  CHECK_DERIVED(f, x);
  return check_done();
}
