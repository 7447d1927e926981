/* Exponents and mantissas: frexp, ldexp, scalbn, scalbln, ilogb, logb, significand, nextafter, nexttoward, copysign. */
#define _GNU_SOURCE
#include "scalar_table.h"
static double mantissa(double x) { int e; double m = frexp(x, &e); return m * m + ldexp(m, e - 1); }
static double rebuilt(double x, double y) { int e, k; double m = frexp(x, &e), n = frexp(y, &k); return ldexp(m * n, e + k); }
#define TABLE(row)                                                    \
  row(s_ldexp, ldexp(x, 3) * ldexp(y, -2), 2.4, 1.3)                   \
  row(s_scalbn, scalbn(x, 2) * scalbln(y, -3L), 2.4, 1.3)              \
  row(s_variable, ldexp(x, (int)(y * 2.2)), 2.4, 1.3)                  \
  row(s_frexp, mantissa(x) * y, 2.4, 1.3)                              \
  row(s_negative, mantissa(x) * y, -20.4, 1.3)                         \
  row(s_rebuilt, rebuilt(x, y), 2.4, 5.3)                              \
  row(s_logb, logb(x) * y + ilogb(x) * x, 5.4, 1.3)                    \
  row(s_next, nextafter(x, y) * y, 2.4, 1.3)                           \
  row(s_toward, nexttoward(x, (long double)y) * y, 2.4, 1.3)           \
  row(s_copysign, copysign(x, y) * y, 2.4, -1.3)                       \
  row(s_fabs, fabs(x) * fabs(y), -2.4, 1.3)                            \
  row(s_sign, (signbit(x) ? -x * x : x) * y, -2.4, 1.3)                \
  row(s_long, (double)(ldexpl(x, 3) * scalbnl(y, 2) + copysignl(x, y)), 2.4, -1.3)
TABLE(DEFINE_ROW)
int main(void) { TABLE(RUN_ROW) return check_done(); }
