/* Numbers scaled by what is added to the exponents in their bits: an exponential of one's own, of doubles and floats,
   in a loop that is vectorised, and with a guard for zero that an optimiser makes a choice of. */
#include "check.h"

static double scaled(double a, int k) {
  union { double d; uint64_t u; } v = {a};
  v.u += (uint64_t)(int64_t)k << 52;
  return v.d;
}
static float scaled_float(float a, int k) {
  uint32_t u;
  memcpy(&u, &a, 4);
  u -= (uint32_t)k << 23;
  memcpy(&a, &u, 4);
  return a;
}
static double exponential(double a) {
  int k = (int)floor(a * 1.4426950408889634 + 0.5);
  double r = a - k * 0.69314718055994530942, term = 1, sum = 1;
  for (int i = 1; i < 14; i++) sum += term *= r / i;
  return scaled(sum, k);
}

double exponents(const double *x) {
  double in[16], out[16], sum = 0;
  for (int i = 0; i < 16; i++) in[i] = x[i % 3] * (i - 7);
  for (int i = 0; i < 16; i++) out[i] = exponential(in[i]);
  for (int i = 0; i < 16; i++) sum += out[i] * (i + 1);
  for (int i = 0; i < 3; i++) {
    double guarded = x[i] > 0 ? x[i] : 0;
    sum += guarded == 0 ? guarded : scaled(guarded, 3 - 2 * i) * x[0];
  }
  return sum + scaled_float((float)(x[0] * x[1]), 2) * (x[2] > 0);
}
DERIVED(exponents)

int main(void) {
  double at[] = {0.7, 1.3, -0.4};
  CHECK_DERIVED(exponents, at);
  return check_done();
}
