/* fmin, fmax and their families: C99, IEEE 754-2019, the compiler's builtins, in double, float and long double. */
#define _GNU_SOURCE
#include "scalar_table.h"
#define TABLE(row)                                                    \
  row(m_fmin, fmin(x, y) * x, 0.7, 1.3)                                \
  row(m_fmax, fmax(x, y) * y, 0.7, 1.3)                                \
  row(m_other, fmax(x * y, x - y) * fmin(x, 2 * y), 1.7, 0.6)          \
  row(m_builtin_min, __builtin_fmin(x, y) * __builtin_fmax(x, y), -0.7, 0.3) \
  row(m_elementwise, __builtin_elementwise_minimum(x, y) * __builtin_elementwise_maximum(x * x, y), 0.7, 1.3) \
  row(m_number, __builtin_elementwise_minnum(x, y) * __builtin_elementwise_maxnum(x, y * y), 0.7, 1.3) \
  row(m_float, (double)(fminf((float)x, 2) * fmaxf(-1, -2)) * 0 + x * y, 0.75, 1.5) \
  row(m_long, (double)(fminl(x, y) * fmaxl(x, 1)), 0.7, 1.3)           \
  row(m_fdim, fdim(x * 2, y) * x, 1.4, 0.9)                            \
  row(m_fdim_zero, fdim(x, y * 3) * x + y, 1.4, 0.9)                   \
  row(m_clamp, fmin(fmax(x * y, 0.2), 1.5) * x, 0.7, 1.3)              \
  row(m_nan, fmin(x, NAN) * fmax(NAN, y), 0.7, 1.3)                    \
  row(m_infinite, fmin(x, INFINITY) * fmax(-INFINITY, y), 0.7, 1.3)
TABLE(DEFINE_ROW)
static double tie(double x, double y) { return fmax(x, y); }
int main(void) {
  TABLE(RUN_ROW)
  /* at a tie the derivative goes to one of the two, whole */
#ifndef REFERENCE
  double a = __enzyme_fwddiff((void *)tie, enzyme_dup, 1.0, 1.0, enzyme_dup, 1.0, 0.0);
  double b = __enzyme_fwddiff((void *)tie, enzyme_dup, 1.0, 0.0, enzyme_dup, 1.0, 1.0);
  check_close("tie", 0, a + b, 1, 0);
#endif
  return check_done();
}
