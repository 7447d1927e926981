/* Conditions that assign, call and count; comma and ternary chains; short circuits that skip active work. */
#include "check.h"

static NOINLINE double scaled(double *cell, double by) {
  *cell *= by;
  return *cell;
}
static double chain(const double *x, int n) {
  double a = 0.4, b = 1, t;
  int hits = 0;
  for (int i = 0; i < n; i++) {
    if ((t = scaled(&a, 1 + 0.3 * x[i])) > 0.4 && (hits++, scaled(&b, x[i] + 1.2) < 1.4))
      b += t;
    else if (hits % 2 || scaled(&a, 0.7) > 0.35)
      a -= 0.1 * x[i] * b;
    b += hits > 2 ? t > 0.5 ? x[i] * t : (a += 0.05, x[i] * a) : hits ? sin(t) : x[i];
    while ((t *= 0.6) > 0.2 || (b > 3 && (b -= x[i] * x[i] + 0.5) > 2)) a += 0.1 * t;
  }
  return a * b + hits;
}
static double f(const double *x) { return chain(x, 7); }
DERIVED(f)

int main(void) {
  double x[7] = {0.6, 0.7, -0.55, 0.75, -0.9, 0.4, 1.1}, y[7] = {-0.6, 0.37, 0.55, -0.75, -0.2, 0.8, -0.1};
  CHECK_DERIVED(f, x);
  CHECK_DERIVED(f, y);
  return check_done();
}
