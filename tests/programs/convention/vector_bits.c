/* Lanes of numbers that move as integers and through unions. */
#include "vector.h"

union word {
  double d;
  uint64_t u;
};
static NOINLINE double magnitude(double v) {
  union word w;
  w.d = v;
  w.u &= ~(1ull << 63);
  return w.d;
}
static REAL subject(REAL *x, int n) {
  double s = 0, copy[8];
  for (int i = 0; i < n; i++) {
    uint64_t bits;
    memcpy(&bits, &x[i], sizeof bits);
    memcpy(&copy[n - 1 - i], &bits, sizeof bits);
  }
  for (int i = 0; i < n; i++) s += magnitude(x[i] - copy[i]) * copy[i] + magnitude(-s) * 0.1;
  for (int i = 0; i < n; i++) x[i] = copy[i] * s;
  return s;
}
