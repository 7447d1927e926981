/* Calls of functions that are not inlined: augmented primals and reverses with tapes on the heap. */
#include "second.h"

NOINLINE static double g(double a, const double *x) { return a * exp(x[0] * 0.3) + x[1] * x[1] * a * a; }
NOINLINE static void h(double *t, const double *x, int i) { t[i] = t[i] * x[i] + sin(x[0]) * t[i] * t[i]; }
static double f(const double *x) {
  double t[3] = {x[0], x[1], x[2] * x[1]};
  for (int i = 0; i < 3; i++) h(t, x, i);
  double s = 0;
  for (int i = 0; i < 3; i++) s += g(t[i], x) * t[(i + 1) % 3];
  return s;
}
SECOND(f, 3)

int main(void) {
  double x[] = {0.9, 1.3, 0.4};
  CHECK_ENGINE(SECOND_CHECK(f, x, 3));
  return check_done();
}
