/* Bits of numbers that are mixed with others, of which nothing is looked at but the sign: the sign of a product, of a
 * quadrant and a number, of a number that integers were added to. Only what the sign is given to has a derivative. */
#include "check.h"

typedef float four __attribute__((vector_size(16)));
typedef unsigned int words __attribute__((vector_size(16)));
typedef unsigned long halves __attribute__((vector_size(16)));

#define SIGN 0x8000000000000000ull

static uint64_t bits_of(double x) {
  uint64_t u;
  memcpy(&u, &x, 8);
  return u;
}

static double with_bits(uint64_t u) {
  double x;
  memcpy(&x, &u, 8);
  return x;
}

static NOINLINE double scalar(double x, double y, double z, int quadrant) {
  uint64_t sign = (bits_of(x) ^ bits_of(y)) & SIGN;
  uint64_t turned = (bits_of(y) ^ ((uint64_t)quadrant << 62)) & SIGN;
  uint64_t either = (bits_of(x) | bits_of(z)) & SIGN;
  return with_bits(bits_of(z * x) ^ sign) + 2 * with_bits(bits_of(z * z) ^ turned) + with_bits(bits_of(x * y) ^ either);
}

static NOINLINE four lanes(four x, four y, words quadrant) {
  words sign = (words)((halves)x ^ (halves)(quadrant << 30)) & 0x80000000u;
  return (four)((words)(y * y) ^ sign) + x;
}

static double f(const double *x) {
  double sum = 0;
  for (int i = 0; i < 4; i++) sum += scalar(x[i], x[(i + 1) % 4], x[(i + 2) % 4], i);
  return sum;
}
DERIVED(f)

static double single(const double *x) {
  four a = {(float)x[0], (float)x[1], (float)x[2], (float)x[3]}, b = {(float)x[3], (float)x[1], (float)x[0], (float)x[2]};
  words quadrants = {0, 1, 2, 3};
  four r = lanes(a, b, quadrants);
  return (double)(r[0] * 2 + r[1] * 3 + r[2] * 5 + r[3]);
}
DERIVED(single)

/* The same in double: quadrants two and three turn the sign of x. */
static double twin(const double *x) {
  double y0 = copysign(x[3] * x[3], x[0]), y1 = copysign(x[1] * x[1], x[1]);
  double y2 = copysign(x[0] * x[0], -x[2]), y3 = copysign(x[2] * x[2], -x[3]);
  return (y0 + x[0]) * 2 + (y1 + x[1]) * 3 + (y2 + x[2]) * 5 + (y3 + x[3]);
}

int main(void) {
  const double x[] = {0.7, -1.1, 1.9, -0.4};
  CHECK_DERIVED(f, x);
  CHECK_SINGLE(twin, single_gradient, single_tangent, x);
  return check_done();
}
