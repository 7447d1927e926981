/* Lanes through the mathematical library, with functions that give several results. */
#define WIDTH_B 8
#include "vector.h"

static REAL subject(REAL *x, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) {
    int exponent;
    double whole, part = modf(3 * x[i], &whole), fraction = frexp(x[i] * 5, &exponent);
    s += part * whole + fraction * exponent + hypot(x[i], x[(i + 1) % n]);
    x[i] = pow(x[i], 1.5) + fmax(x[i], 0.7) * atan2(x[i], s) + erf(x[i]) - fabs(x[i] - 1);
    s += exp(-x[i]) * tanh(s) + cbrt(x[i]) + fma(x[i], s, x[0]) + ldexp(x[i], 2) + copysign(x[i], -1.0) + log1p(x[i]);
  }
  return s;
}
