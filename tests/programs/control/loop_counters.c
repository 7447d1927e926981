/* Counters of every width and sign: countdowns to zero, wrap-around, chars that overflow, steps of seven. */
#include "check.h"

static double f(const double *x) {
  double s = 0.1;
  for (unsigned i = 6; i-- > 0;) s = s * x[i] + 1;
  for (size_t i = 6; i--;) s += x[i] * s * 0.1;
  for (signed char c = 5; c >= 0; c--) s = sin(s) + x[c];
  uint8_t wrap = 250;
  do s += 0.01 * x[wrap % 6] * s;
  while (wrap++ != 5);
  for (unsigned short u = 65530; u; u++) s *= 1 + 0.01 * x[u % 6];
  for (long long k = -30; k < 12; k += 7) s += x[(k + 30) % 6] * x[0];
  int n = 6;
  while (n --> 0) s -= 0.3 * x[n] * x[n];
  n = 0;
  while (n++ < 5) s += x[n] * (n & 1 ? s : 1) * 0.1;
  while (--n) s = s * 0.9 + x[n - 1];
  for (int i = 0, j = 5; i <= j; i += 2, j--) s += x[i] * x[j];
  return s;
}
DERIVED(f)

int main(void) {
  double x[6] = {0.6, -0.5, 0.8, 0.7, -0.9, 0.75};
  CHECK_DERIVED(f, x);
  return check_done();
}
