/* Calls with effects in loop conditions, in switch heads, as arguments of each other, in initialisers. */
#include "check.h"

static NOINLINE double bump(double *cell, double by) { return *cell = *cell * 0.9 + by; }
static NOINLINE int phase(double *cell) {
  *cell += 0.3 * *cell * *cell;
  return *cell > 0.6 ? 2 : *cell > 0.2;
}
static double f(const double *x) {
  double a = 0.3, b = -0.2, s = 0;
  int i = 0;
  for (double v = bump(&a, x[0]); bump(&b, 0.1 * v) < 1.7 && i < 12; v = bump(&a, 0.2 * x[i % 4]), i++) {
    switch (phase(&b)) {
    case 0: s += bump(&a, bump(&b, x[1])); break;
    case 1: s -= v * b;
    case 2: s += x[2] * bump(&a, -0.3) * (phase(&a) ? x[3] : 2);
    }
    if (phase(&a) == 2 && bump(&b, 0.05) > a) continue;
    s *= 0.95;
  }
  return s + a * b;
}
DERIVED(f)

int main(void) {
  double x[4] = {0.6, 0.7, -0.55, 0.75}, y[4] = {-0.6, 0.2, 0.45, 0.15};
  CHECK_DERIVED(f, x);
  CHECK_DERIVED(f, y);
  return check_done();
}
