/* Sums, products, quotients, conversions and branches in _Float16; bfloat_arithmetic.c includes this
 * for __bf16. */
#include "narrow.h"

#ifndef NARROW
#define NARROW _Float16
#define TOLERANCES 2e-2, 2e-2
#endif

PAIR(polynomial, NARROW, T x = (T)p[0], y = (T)p[1]; T a = x * y + x, b = a - y * (T)0.5; return (double)(a * b);)
PAIR(quotient, NARROW, T x = (T)p[0], y = (T)p[1]; return (double)((x + (T)1) / (y * y + (T)1));)
PAIR(branch, NARROW, T x = (T)p[0], y = (T)p[1]; T r = x > y ? x * x : y * x; if (r < (T)0) r = -r; return (double)(r * y);)
PAIR(loop, NARROW, T s = (T)0.25; for (int i = 0; i < 4; i++) s = s * (T)p[i & 1] + (T)(0.25 * i); return (double)s;)
PAIR(array, NARROW, T v[4]; for (int i = 0; i < 4; i++) v[i] = (T)p[i & 1] * (T)(i + 1);
     T s = 0; for (int i = 1; i < 4; i++) { v[i] = v[i] * v[i - 1]; s += v[i] * (T)0.125; } return (double)s;)
PAIR(through_float, NARROW, T x = (T)p[0]; float f = (float)x * 1.5f; T y = (T)(f * f); return (double)y * p[1];)
PAIR(from_integer, NARROW, T x = (T)p[0]; int n = (int)p[1]; return (double)(x * (T)n * x);)
PAIR(negated, NARROW, T x = (T)p[0]; return (double)(-x * -(x + (T)p[1]));)

int main(void) {
  double a[] = {0.75, 1.25}, b[] = {-0.5, 0.625};
#define EACH(f) CHECK_PAIR(f, a, TOLERANCES); CHECK_PAIR(f, b, TOLERANCES)
  EACH(polynomial); EACH(quotient); EACH(branch); EACH(loop); EACH(through_float); EACH(negated);
  CHECK_PAIR(array, a, 2e-1, 2e-1); CHECK_PAIR(array, b, 2e-1, 2e-1); /* sums that cancel */
  double c[] = {0.75, 3.25};
  CHECK_PAIR(from_integer, c, TOLERANCES);
  return check_done();
}
