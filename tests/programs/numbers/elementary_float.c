/* The functions of <math.h> in float, against the same formulas in double; elementary_long.c includes this for long
 * double. */
#define _GNU_SOURCE
#include "narrow.h"

#ifndef REAL
#define REAL float
#define SUFFIX f
#define TOLERANCES 5e-3, 1e-3
#endif

#define ROWS(row, s)                                                       \
  row(exponentials, exp##s(x) * exp2##s(y) + expm1##s(x * y) + exp10##s(x * (T)0.25))           \
  row(logarithms, log##s(x) * log2##s(y) + log10##s(x + y) * log1p##s(x))  \
  row(roots, sqrt##s(x) * cbrt##s(y) + hypot##s(x, y) + pow##s(x, y))      \
  row(circular, sin##s(x) * cos##s(y) + tan##s(x) - atan2##s(x, y))        \
  row(inverse, asin##s(x * (T)0.25) + acos##s(y * (T)0.25) * atan##s(x))   \
  row(hyperbolic, sinh##s(x) * cosh##s(y) + tanh##s(x * y))                \
  row(areas, asinh##s(x) + acosh##s(y + 2) * atanh##s(x * (T)0.25))        \
  row(errors, erf##s(x) * erfc##s(y) + tgamma##s(x + 2) * lgamma##s(y + 3)) \
  row(bessel, j0##s(x) * j1##s(y) + jn##s(2, x) + y0##s(x) * y1##s(y) + yn##s(2, y)) \
  row(scales, ldexp##s(x, 2) * scalbn##s(y, -1) + fma##s(x, y, x) + fdim##s(y, x)) \
  row(choices, fmin##s(x, y) * fmax##s(x * 3, y) + fabs##s(x - y) * copysign##s(x, -y)) \
  row(rests, fmod##s(y * 5 + (T)0.25, x) + remainder##s(y * 7 + (T)0.125, x) + floor##s(x * 4) * y + trunc##s(y * 3) * x)
#define SUFFIXED(row, s) ROWS(row, s)
#define MAKE(name, value)                                                  \
  static NOINLINE double name(const double *p) { typedef REAL T; T x = (T)p[0], y = (T)p[1]; return (double)(value); } \
  DERIVED(name)
#define TWIN(name, value) \
  static NOINLINE double name##_twin(const double *p) { typedef double T; T x = p[0], y = p[1]; return value; }
SUFFIXED(MAKE, SUFFIX)
ROWS(TWIN, )
#define RUN(name, value) CHECK_PAIR(name, a, TOLERANCES); CHECK_PAIR(name, b, TOLERANCES);

int main(void) {
  double a[] = {0.625, 1.375}, b[] = {0.8125, 1.5625};
  ROWS(RUN, )
  return check_done();
}
