/* What C programmers do to the bits of numbers: the sign flipped, cleared, set and moved, a number chosen by a mask, a
 * mantissa cut out as frexp does. Through unions, memcpy and pointers to integers that are known to be numbers. */
#include "check.h"

typedef union { double d; uint64_t u; int64_t i; } bits64;
typedef union { float f; uint32_t u; } bits32;

static NOINLINE double flipped(double x) {
  bits64 b = {x};
  b.u ^= 0x8000000000000000u;
  return b.d;
}
static NOINLINE double absolute(double x) {
  uint64_t u;
  memcpy(&u, &x, 8);
  u &= 0x7fffffffffffffffu;
  memcpy(&x, &u, 8);
  return x;
}
static NOINLINE float absolutef(float x) {
  bits32 b = {x};
  b.u &= 0x7fffffffu;
  return b.f;
}
static NOINLINE float flippedf(float x) {
  bits32 b = {x};
  b.u ^= 0x80000000u;
  return b.f;
}
static NOINLINE double signed_as(double size, double sign) {
  bits64 a = {size}, b = {sign};
  a.u = (a.u & 0x7fffffffffffffffu) | (b.u & 0x8000000000000000u);
  return a.d;
}
static NOINLINE double times_sign(double x, double sign) {
  bits64 a = {x}, b = {sign};
  a.u ^= b.u & 0x8000000000000000u;
  return a.d;
}
static NOINLINE double chosen(double x, double y, int first) {
  uint64_t mask = -(uint64_t)(first != 0);
  bits64 a = {x}, b = {y}, c;
  c.u = (a.u & mask) | (b.u & ~mask);
  return c.d;
}
static NOINLINE double mantissa(double x, int *exponent) {
  bits64 b = {x};
  *exponent = (int)((b.u >> 52) & 0x7ff) - 1022;
  b.u = (b.u & 0x800fffffffffffffu) | 0x3fe0000000000000u;
  return b.d;
}

static double signs(const double *x) {
  double a = flipped(x[0]) * x[1] + absolute(x[1] * x[2]);
  return a * signed_as(x[0], x[1]) + times_sign(x[2] * x[2], x[1]) + x[3];
}
DERIVED(signs)

static double in_double(const double *x) { return fabs(x[0] * x[1]) * x[2] - x[1]; }
static double in_float(const double *x) {
  return absolutef((float)x[0] * (float)x[1]) * (float)x[2] + flippedf((float)x[1]);
}
DERIVED(in_float)

static double masks(const double *x) {
  double sum = 0;
  for (int i = 0; i < 4; i++) sum += chosen(x[i] * x[i], x[3 - i] * x[0], x[i] > x[3 - i]) * (i + 1);
  return sum;
}
DERIVED(masks)

static double parts(const double *x) {
  double product = 1, exponents = 0;
  for (int i = 0; i < 4; i++) {
    int e;
    product *= mantissa(x[i] * 4.7, &e) + i;
    exponents += e;
  }
  return product + exponents * x[0];
}
DERIVED(parts)

int main(void) {
  const double x[] = {0.7, -1.1, 1.9, -0.4};
  CHECK_DERIVED(signs, x);
  CHECK_SINGLE(in_double, in_float_gradient, in_float_tangent, x);
  CHECK_DERIVED(masks, x);
  CHECK_DERIVED(parts, x);
  return check_done();
}
