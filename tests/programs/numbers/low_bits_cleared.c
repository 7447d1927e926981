/* A number without the end of its mantissa: fdlibm's high word, Veltkamp's splitting by a mask, float kept as bfloat.
   The rounded number moves as the number does. */
#include "check.h"

static double high_word(double x) {
  union {
    double d;
    struct {
      uint32_t low, high;
    } words;
  } u;
  u.d = x;
  u.words.low = 0;
  return u.d;
}
static NOINLINE double split(double x) {
  uint64_t u;
  memcpy(&u, &x, 8);
  u &= ~0x7ffffffull;
  memcpy(&x, &u, 8);
  return x;
}
static NOINLINE float coarse(float x) {
  union {
    float f;
    uint32_t u;
  } v = {x};
  v.u &= 0xffff0000u;
  return v.f;
}

/* exp(-x * x) without the error of x * x */
double gaussian(const double *x) {
  double sum = 0;
  for (int i = 0; i < 4; i++) {
    double z = high_word(x[i]), h = split(x[i]), l = x[i] - h;
    sum += exp(-z * z) * exp((z - x[i]) * (z + x[i])) + (h * h + (2 * h * l + l * l)) * x[(i + 1) % 4];
  }
  return sum;
}
DERIVED(gaussian)

int main(void) {
  double x[] = {1.3, -0.7, 0.1, 0.4};
  CHECK_DERIVED(gaussian, x);
#if ENGINE
  check_value("a float kept as bfloat", __enzyme_autodiff((void *)coarse, enzyme_out, 1.7f), 1.0, 1e-6);
#endif
  return check_done();
}
