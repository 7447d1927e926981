/* What derivatives are at zeros, infinities and NaN: what is not used stays zero, a singular partial times a zero adjoint
 * is zero, and what is used is what the formula says there. */
#include "check.h"

static double guarded_log(double x) { return x > 0 ? log(x) : 0; }
static double guarded_sqrt(double x) { return x > 0 ? sqrt(x) : x; }
static double guarded_quotient(double x, double y) { return y != 0 ? x / y : x; }
static double norm(double x, double y) { return sqrt(x * x + y * y); }
static double root(double x) { return sqrt(x); }
static double power(double x, double y) { return pow(x, y); }
static double size(double x) { return fabs(x); }
static double sum(double x, double y) { return x + 0 * y; }
static double product(double x, double y) { return x * y; }
static double flat(double x) { return floor(x) + (x > 1 ? 2 : 3); }
static double unused(double x, double y) { double z = log(y); return z > 1e300 ? z : x; }

#ifndef REFERENCE
static void is(const char *name, double got, double expected) {
  if (isnan(expected)) check_close(name, 0, isnan(got) ? 0 : 1, 0, 0);
  else if (isinf(expected)) check_close(name, 0, got == expected ? 0 : 1, 0, 0);
  else check_close(name, 0, got, expected, 1e-14);
}
#define R1(f, x) ((double)__enzyme_autodiff((void *)f, enzyme_out, (double)(x)))
#define F1(f, x) ((double)__enzyme_fwddiff((void *)f, enzyme_dup, (double)(x), 1.0))
#define BOTH(f, x, expected) is(#f "(" #x ")", R1(f, x), expected); is(#f "(" #x ") forward", F1(f, x), expected)
#define FX(f, x, y) ((double)__enzyme_fwddiff((void *)f, enzyme_dup, (double)(x), 1.0, enzyme_const, (double)(y)))
#define RX(f, x, y) ((double)__enzyme_autodiff((void *)f, enzyme_out, (double)(x), enzyme_const, (double)(y)))
#define FIRST(f, x, y, expected) is(#f "(" #x ", " #y ")", RX(f, x, y), expected); is(#f "(" #x ", " #y ") forward", FX(f, x, y), expected)
#endif

int main(void) {
#ifndef REFERENCE
  BOTH(guarded_log, -1, 0); BOTH(guarded_log, 0, 0); BOTH(guarded_log, 2, 0.5);
  BOTH(guarded_sqrt, 0, 1); BOTH(guarded_sqrt, 4, 0.25);
  FIRST(guarded_quotient, 3, 0, 1); FIRST(guarded_quotient, 3, 2, 0.5);
  BOTH(root, 0, INFINITY); BOTH(root, INFINITY, 0); BOTH(root, -1, NAN);
  FIRST(power, 0, 2, 0); FIRST(power, 0, 1, 1); FIRST(power, 5, 0, 0); FIRST(power, -2, 3, 12); FIRST(power, 0, 0, 0);
  FIRST(product, 2, INFINITY, INFINITY); FIRST(product, 2, NAN, NAN); FIRST(product, INFINITY, 3, 3);
  FIRST(sum, INFINITY, 1, 1); FIRST(sum, 2, 1, 1);
  BOTH(size, 3, 1); BOTH(size, -3, -1); BOTH(size, -INFINITY, -1);
  BOTH(flat, 1.5, 0);
  FIRST(norm, 3, 4, 0.6);
  FIRST(unused, 1, -1, 1); FIRST(unused, 1, 0, 1);
#endif
  return check_done();
}
