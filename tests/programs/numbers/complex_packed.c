/* Functions of float and long double complex numbers, whose ABIs pack them: in a vector register, and in memory. */
// flags: -fcomplex-arithmetic=basic
#include "narrow.h"
#include <complex.h>

#define PAIRC(name, type, ...)                                                                                   \
  static NOINLINE double name(const double *p) { typedef type T; typedef type _Complex C; __VA_ARGS__ }           \
  DERIVED(name)
#define BODY(exp, log, sqrt, pow, sin, tanh, abs, arg)                                                            \
  C z = (T)p[0] + (T)p[1] * (C)I, w = (T)p[2] + (T)p[3] * (C)I;                                                   \
  C a = exp(z) * log(w) + sqrt(z * w), b = pow(z, w) - sin(z) * tanh(w);                                          \
  C s = 0;                                                                                                        \
  for (int i = 0; i < 3; i++) s = exp(s * (T)0.25) + z;                                                           \
  return (double)(__real__ a * abs(b) + __imag__ a * arg(w) + __real__ b - __imag__ s);
static NOINLINE double doubles(const double *p) {
  typedef double T;
  typedef double _Complex C;
  BODY(cexp, clog, csqrt, cpow, csin, ctanh, cabs, carg)
}
PAIRC(floats, float, BODY(cexpf, clogf, csqrtf, cpowf, csinf, ctanhf, cabsf, cargf))
PAIRC(longs, long double, BODY(cexpl, clogl, csqrtl, cpowl, csinl, ctanhl, cabsl, cargl))

int main(void) {
  double a[] = {0.7, 1.1, 0.4, -0.6}, b[] = {-0.3, 0.6, 1.9, 0.8};
  CHECK_FULL(doubles, floats_gradient, 0, floats_tangent, a, 4, 2e-3, 1e-4);
  CHECK_FULL(doubles, floats_gradient, 0, floats_tangent, b, 4, 2e-3, 1e-4);
  CHECK_FULL(doubles, longs_gradient, 0, longs_tangent, a, 4, 1e-6, 1e-9);
  CHECK_FULL(doubles, longs_gradient, 0, longs_tangent, b, 4, 1e-6, 1e-9);
  return check_done();
}
