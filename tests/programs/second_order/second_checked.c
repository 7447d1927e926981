// engine: --enzyme-check-plan
// reference: none (the flag is the engine's own)
/* Derivatives whose tape plans check themselves, differentiated: the checks are code like any other. */
#include "second.h"

static double f(const double *x) {
  double u[5], s = 0, a = x[0];
  for (int i = 0; i < 5; i++) u[i] = x[i % 3] * exp(0.2 * x[(i + 1) % 3]);
  for (int i = 1; i < 5; i++) u[i] = u[i] * u[i - 1] + sin(u[i]);
  while (a < 4) {
    a = a * 1.4 + 0.1 * u[2] * u[2];
    s += a * u[3];
  }
  return s;
}
SECOND(f, 3)

int main(void) {
  double x[] = {0.9, 0.4, 0.7};
  CHECK_ENGINE(SECOND_CHECK(f, x, 3));
  return check_done();
}
