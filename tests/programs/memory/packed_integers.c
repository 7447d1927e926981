/* Numbers that travel in integers: pairs of floats in 64 bits, halves put together by shifts, in loops and selects. */
#include "check.h"

static NOINLINE uint64_t pack(float a, float b) {
  uint32_t x, y;
  memcpy(&x, &a, 4);
  memcpy(&y, &b, 4);
  return (uint64_t)y << 32 | x;
}
static NOINLINE void unpack(uint64_t w, float *a, float *b) {
  uint32_t x = (uint32_t)w, y = (uint32_t)(w >> 32);
  memcpy(a, &x, 4);
  memcpy(b, &y, 4);
}
static double pairs(const double *x) {
  uint64_t w = pack((float)x[0], (float)x[1]);
  float a, b;
  for (int i = 0; i < 3; i++) {
    unpack(w, &a, &b);
    w = pack(b * (float)x[2], a + b);
  }
  unpack(w, &a, &b);
  return a * b;
}
static double swap_bits(const double *x) {
  uint64_t u[3], t;
  memcpy(u, x, sizeof u);
  for (int i = 0; i < 5; i++) {
    int k = i % 2;
    if (x[k] < x[k + 1]) t = u[k], u[k] = u[k + 1], u[k + 1] = t;
  }
  double d[3];
  memcpy(d, u, sizeof d);
  return d[0] * d[1] + d[2] * d[2] * 3;
}
DERIVED(pairs)
DERIVED(swap_bits)
int main(void) {
  double x[3] = {0.625, -0.4375, 0.8125};
  CHECK_DERIVED(swap_bits, x);
  double g[3] = {0}, v[3] = {0.3, -0.2, 0.9};
#ifndef REFERENCE
  /* a, b -> z b, a + b three times, z = x2; f = a b */
  double a = x[0], b = x[1], z = x[2], da[3] = {1, 0, 0}, db[3] = {0, 1, 0};
  for (int i = 0; i < 3; i++) {
    double na = z * b, nb = a + b;
    for (int k = 0; k < 3; k++) {
      double p = z * db[k] + (k == 2 ? b : 0), q = da[k] + db[k];
      da[k] = p, db[k] = q;
    }
    a = na, b = nb;
  }
  pairs_gradient(x, g);
  double along = 0;
  for (int i = 0; i < 3; i++) check_value("pairs", g[i], a * db[i] + b * da[i], 1e-5), along += v[i] * (a * db[i] + b * da[i]);
  check_value("pairs forward", pairs_tangent(x, v), along, 1e-5);
#endif
  return check_done();
}
