/* Sums, products, quotients, conversions and branches in __bf16. */
#include "narrow.h"

PAIR(polynomial, __bf16, T x = (T)p[0], y = (T)p[1]; T a = x * y + x, b = a - y * (T)0.5; return (double)(a * b);)
PAIR(quotient, __bf16, T x = (T)p[0], y = (T)p[1]; return (double)((x + (T)1) / (y * y + (T)1));)
PAIR(branch, __bf16, T x = (T)p[0], y = (T)p[1]; T r = x > y ? x * x : y * x; if (r < (T)0) r = -r; return (double)(r * y);)
PAIR(loop, __bf16, T s = (T)0.25; for (int i = 0; i < 4; i++) s = s * (T)p[i & 1] + (T)(0.25 * i); return (double)s;)
PAIR(array, __bf16, T v[4]; for (int i = 0; i < 4; i++) v[i] = (T)p[i & 1] * (T)(i + 1);
     T s = 0; for (int i = 1; i < 4; i++) { v[i] = v[i] * v[i - 1]; s += v[i] * (T)0.125; } return (double)s;)
PAIR(through_float, __bf16, T x = (T)p[0]; float f = (float)x * 1.5f; T y = (T)(f * f); return (double)y * p[1];)
PAIR(from_integer, __bf16, T x = (T)p[0]; int n = (int)p[1]; return (double)(x * (T)n * x);)
PAIR(negated, __bf16, T x = (T)p[0]; return (double)(-x * -(x + (T)p[1]));)

int main(void) {
  double a[] = {0.75, 1.25}, b[] = {-0.5, 0.625};
#define EACH(f) CHECK_PAIR(f, a, 1e-1, 1e-1); CHECK_PAIR(f, b, 1e-1, 1e-1)
  EACH(polynomial); EACH(quotient); EACH(branch); EACH(loop); EACH(through_float); EACH(negated);
  CHECK_PAIR(array, a, 2e-1, 2e-1); CHECK_PAIR(array, b, 2e-1, 2e-1); /* sums that cancel */
  double c[] = {0.75, 3.25};
  CHECK_PAIR(from_integer, c, 1e-1, 1e-1);
  return check_done();
}
