/* C's complex numbers: products and quotients with all their special cases (compiler-rt), in loops and arrays;
 * here of double, complex_float.c and complex_long.c include it for other types. */
#include "narrow.h"
#include <complex.h>

#ifndef REAL
#define REAL double
#define TOLERANCES 1e-6, 1e-9
#endif

#define PAIRC(name, type, ...)                                                                                   \
  static NOINLINE double name(const double *p) { typedef type T; typedef type _Complex C; __VA_ARGS__ }           \
  static NOINLINE double name##_twin(const double *p) { typedef double T; typedef double _Complex C; __VA_ARGS__ } \
  DERIVED(name)

#define MOBIUS                                                              \
  C z = (T)p[0] + (T)p[1] * (C)I, w = (T)p[2] + (T)p[3] * (C)I; \
  C q = (z * w + z) / (w - (T)2 * z);                              \
  return (double)(__real__ q * __imag__ q + __real__(q * q));
PAIRC(mobius, REAL, MOBIUS)
#define ITERATE                                                             \
  C z = 0, c = (T)p[0] + (T)p[1] * (C)I;                  \
  for (int i = 0; i < 5; i++) z = z * z * (T)0.5 + c / ((T)3 + z);          \
  return (double)(__real__ z) * p[2] + (double)(__imag__ z) * p[3];
PAIRC(iterate, REAL, ITERATE)
#define TABLE                                                               \
  C a[4], s = 0;                                                   \
  for (int i = 0; i < 4; i++) a[i] = (T)p[i] + (T)p[3 - i] * (C)I; \
  for (int i = 1; i < 4; i++) { a[i] *= a[i - 1]; a[i] += ~a[0]; s += a[i] / (T)2; } \
  return (double)(__real__ s * __real__ s + __imag__ s);
PAIRC(table, REAL, TABLE)
static NOINLINE REAL _Complex helper_n(REAL _Complex a, REAL _Complex b) { return a * b - a / b; }
static NOINLINE double _Complex helper_d(double _Complex a, double _Complex b) { return a * b - a / b; }
#define CALLS(h)                                                            \
  C z = (T)p[0] + (T)p[1] * (C)I, w = (T)p[2] + (T)p[3] * (C)I; \
  C q = h(h(z, w), w);                                             \
  return (double)(__real__ q - (T)3 * __imag__ q);
static NOINLINE double calls(const double *p) { typedef REAL T; typedef REAL _Complex C; CALLS(helper_n) }
static NOINLINE double calls_twin(const double *p) { typedef double T; typedef double _Complex C; CALLS(helper_d) }
DERIVED(calls)

int main(void) {
  double a[] = {0.7, 1.1, 0.4, -0.6}, b[] = {-0.3, 0.6, 1.9, 0.8};
#define EACH(f) CHECK_PAIR(f, a, TOLERANCES); CHECK_PAIR(f, b, TOLERANCES)
  EACH(mobius); EACH(iterate); EACH(table); EACH(calls);
  return check_done();
}
