/* Loops counted by floating-point time: a constant step, an active step, a step that the data adapts. */
#include "check.h"

static double fixed(const double *x) {
  double s = x[0];
  for (double t = 0; t < 1.05; t += 0.1) s += 0.1 * (x[1] - s * t);
  return s;
}
static double active(const double *x) {
  double s = x[0], t = 0;
  while (t < 1) {
    s += x[2] * sin(s + t);
    t += x[2];
  }
  return s * t;
}
static double adaptive(const double *x) {
  double s = x[0], t = 0, h = 0.3;
  int rejected = 0;
  while (t < 2 && rejected < 60) {
    double slope = x[1] * cos(t) - s, middle = s + 0.5 * h * slope;
    double better = s + h * (x[1] * cos(t + 0.5 * h) - middle), error = fabs(better - s - h * slope);
    if (error > 0.02) {
      h *= 0.6;
      rejected++;
      continue;
    }
    s = better;
    t += h;
    if (error < 0.004) h *= 1.3;
  }
  return s + 0.1 * t * t;
}
static double f(const double *x) { return fixed(x) + active(x) * adaptive(x); }
DERIVED(f)

int main(void) {
  double x[3] = {0.6, 1.5, 0.137};
  CHECK_DERIVED(f, x);
  return check_done();
}
