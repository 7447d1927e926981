/* A reversed loop is left out where a minimum did not take its result, and not where the adjoint of what it took happens
 * to be zero: that has a derivative of its own. */
#include "second.h"
#define N 12

int points = 3, dimensions = 3;

static double least(const double *x) {
  const double *at = x + points * dimensions;
  double found = 1e300;
  for (int c = 0; c < points; c++) {
    double sum = 0;
    for (int i = 0; i < dimensions; i++) {
      double apart = x[c * dimensions + i] - at[i];
      sum += apart * apart * (1 + 0.1 * apart);
    }
    if (sum < found) found = sum;
  }
  return found;
}
static double target;
static double f(const double *x) {
  double away = least(x) - target;
  return away * away;
}
static double decays(const double *x) { return exp(-least(x)); }
SECOND(f, N)
SECOND(decays, N)

int main(void) {
  double x[N], gradient[N] = {0};
  for (int i = 0; i < N; i++) x[i] = sin(1.3 * i * i + 0.2);
  target = least(x);
  CHECK_ENGINE(f_gradient(x, gradient));
  for (int i = 0; i < N; i++) check_value("first derivative", gradient[i], 0, 1e-12);
  CHECK_ENGINE(SECOND_CHECK(f, x, N));
  CHECK_ENGINE(SECOND_CHECK(decays, x, N));
  return check_done();
}
