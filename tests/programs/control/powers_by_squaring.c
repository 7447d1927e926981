// Loops that go on by halving a number, from constants: LLVM unrolls some of them before differentiation.
#include "check.h"

static inline double power(double x, unsigned n) {
  double made = 1;
  while (1) {
    if (n & 1) made *= x;
    n >>= 1;
    if (n == 0) return made;
    x *= x;
  }
}

static inline double signed_power(double x, int n) {
  double made = 1, base = n < 0 ? 1 / x : x;
  for (int left = n < 0 ? -n : n; left != 0; left /= 2) {
    if (left % 2) made *= base;
    base *= base;
  }
  return made;
}

static double constants(const double *x) {
  return power(x[0], 2) + power(x[1], 3) * power(x[2], 11) + power(x[0], 0) + power(x[1], 1) + signed_power(x[2], -5);
}
DERIVED(constants)

// The exponent is known in one call, not in the other.
static __attribute__((noinline)) double either(const double *x, unsigned n) { return power(x[0], n) + power(x[1], 6); }
static double unknown(const double *x) { return either(x, (unsigned)(x[2] * 3) + 2); }
DERIVED(unknown)

// As many rounds as an int has bits, and more than are written out.
static double long_ones(const double *x) {
  double sum = 0;
  for (unsigned bits = 0x80000001u; bits != 0; bits >>= 1) sum += bits & 1 ? x[bits % 3] * x[0] : x[1] * 0.01;
  for (int far = 1 << 20; far > 0; far -= far / 2 + 1) sum = sum * 0.9 + x[far % 3] * x[2];
  return sum;
}
DERIVED(long_ones)

// Collatz from a constant, and a counter that wraps around.
static double wandering(const double *x) {
  double v = x[0];
  for (unsigned n = 6; n != 1; n = n & 1 ? 3 * n + 1 : n >> 1) v = n & 1 ? v * x[1] : v + x[2] * v;
  for (unsigned char c = 1; c != 217; c = (unsigned char)(c * 3)) {
    v += x[c % 3] * 0.5;
    if (c == 66) break;
  }
  return v;
}
DERIVED(wandering)

// Left early, and a number of the loop is used behind it.
static double early(const double *x) {
  double v = 1;
  unsigned n = 100;
  for (; n > 2; n >>= 1) {
    v *= x[n % 3];
    if (v > 4) break;
  }
  return v * x[n % 3];
}
DERIVED(early)

int main(void) {
  const double x[3] = {0.7, 1.3, 1.1};
  CHECK_DERIVED(constants, x);
  CHECK_DERIVED(unknown, x);
  CHECK_DERIVED(long_ones, x);
  CHECK_DERIVED(wandering, x);
  CHECK_DERIVED(early, x);
  return check_done();
}
