/* Functions of C's complex numbers: exponentials, logarithms, roots, circular and hyperbolic ones, modulus and angle. */
#include "check.h"
#include <complex.h>

#define FUNCTION(name, value)                                                \
  static NOINLINE double name(const double *p) {                             \
    double _Complex z = p[0] + p[1] * (double _Complex)I, w = p[2] + p[3] * (double _Complex)I; \
    (void)w;                                                                 \
    double _Complex r = value;                                               \
    return creal(r) * 1.5 - cimag(r) * 0.75;                                 \
  }                                                                          \
  DERIVED(name)
FUNCTION(f_exp, cexp(z) * w)
FUNCTION(f_log, clog(z) * w)
FUNCTION(f_sqrt, csqrt(z * w))
FUNCTION(f_pow, cpow(z, w))
FUNCTION(f_sin, csin(z) + ccos(w))
FUNCTION(f_tan, ctan(z * 0.5))
FUNCTION(f_hyperbolic, csinh(z) * ccosh(w) + ctanh(z))
FUNCTION(f_inverse, casin(z * 0.3) + cacos(w * 0.2) + catan(z * 0.4))
FUNCTION(f_inverse_hyperbolic, casinh(z) + cacosh(w + 2) + catanh(z * 0.3))
FUNCTION(f_abs, cabs(z * w) + 0 * w)
FUNCTION(f_arg, carg(z) * w)
FUNCTION(f_conj, conj(z) * w + cproj(z))

int main(void) {
  double a[] = {0.7, 1.1, 0.4, -0.6}, b[] = {-0.3, 0.6, 1.9, 0.8};
#define EACH(f) CHECK_DERIVED(f, a); CHECK_DERIVED(f, b)
  EACH(f_exp); EACH(f_log); EACH(f_sqrt); EACH(f_pow); EACH(f_sin); EACH(f_tan); EACH(f_hyperbolic); EACH(f_inverse);
  EACH(f_inverse_hyperbolic); EACH(f_abs); EACH(f_arg); EACH(f_conj);
  return check_done();
}
