// needs: sse4
/* Rounding by adding a large constant and taking it away: the result is a whole number, or a multiple of a fraction,
 * and locally constant, as that of rint is. A constant that is merely added stays what it is. */
#include "check.h"

static NOINLINE double rounded(double x) {
  const double magic = 6755399441055744.0; /* 1.5 * 2^52 */
  double r = x + magic;
  __asm__("" : "+x"(r));
  return r - magic;
}
static NOINLINE double to_eighths(double x) {
  double r = 844424930131968.0 + x; /* 1.5 * 2^52 / 8 */
  __asm__("" : "+x"(r));
  return r - 844424930131968.0;
}
static NOINLINE float roundedf(float x) {
  float r = x - 12582912.0f;
  __asm__("" : "+x"(r));
  return r + 12582912.0f;
}

/* exp as libraries compute it: x = k ln 2 + r, 2^k made from bits */
static double exponential(double x) {
  double k = rounded(x * 1.4426950408889634), r = x - k * 0.6931471805599453, sum = 1, term = 1;
  for (int i = 1; i < 16; i++) {
    term *= r / i;
    sum += term;
  }
  union {
    int64_t i;
    double d;
  } scale = {((int64_t)k + 1023) << 52};
  return sum * scale.d;
}

static double tricks(const double *x) {
  double y = exponential(x[0] * x[1]) + x[2] * rounded(x[1] * 3.7) + x[0] * to_eighths(x[2] + 0.05);
  return y * (x[1] + 1000.0) - 1000.0 * roundedf((float)x[0] * 5.1f);
}
DERIVED(tricks)

int main(void) {
  const double x[] = {0.7, -1.1, 1.9};
  CHECK_DERIVED(tricks, x);
  return check_done();
}
