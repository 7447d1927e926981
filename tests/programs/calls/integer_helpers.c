/* Integers made of active numbers steer everything: binary search, rounding to an index, hashing, gcd, population count. */
#include "check.h"

static NOINLINE int place(const double *grid, int n, double v) {
  int low = 0, high = n - 1;
  while (high - low > 1) {
    int middle = (low + high) / 2;
    if (grid[middle] > v) high = middle;
    else low = middle;
  }
  return low;
}
static NOINLINE int gcd(int a, int b) { return b ? gcd(b, a % b) : a; }
static NOINLINE unsigned mixed(unsigned h) {
  h ^= h >> 16;
  h *= 0x45d9f3bu;
  return h ^ h >> 13;
}
static double f(const double *x) {
  static const double grid[6] = {-2, -1, 0, 0.5, 1, 2}, value[6] = {1, 0.3, -0.5, 0.8, 0.1, 2};
  double s = 0;
  for (int i = 0; i < 5; i++) {
    int k = place(grid, 6, x[i]);
    double t = (x[i] - grid[k]) / (grid[k + 1] - grid[k]);
    s += (1 - t) * value[k] + t * value[k + 1] * x[(i + 1) % 5];
    int whole = (int)floor(10 * x[i] + 0.25);
    s *= 1 + 0.1 * gcd(abs(whole) + 6, 12) + 0.01 * __builtin_popcount(mixed(whole));
    s += x[mixed(i) % 5] * lround(3 * x[i]);
  }
  return s;
}
DERIVED(f)

int main(void) {
  double x[5] = {0.6, 0.73, -0.55, 1.76, -0.31};
  CHECK_DERIVED(f, x);
  return check_done();
}
