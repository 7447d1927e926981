/* An array overwritten in place by sweeps: values are kept between the sweeps. */
#include "second.h"
#define N 6

static double f(const double *x) {
  double u[N];
  for (int i = 0; i < N; i++) u[i] = x[i];
  for (int sweep = 0; sweep < 4; sweep++)
    for (int i = 1; i + 1 < N; i++) u[i] = 0.4 * u[i - 1] * u[i + 1] + 0.3 * sin(u[i]) + 0.1 * u[i] * u[i];
  double s = 0;
  for (int i = 0; i < N; i++) s += u[i] * u[i] * x[N - 1 - i];
  return s;
}
SECOND(f, N)

int main(void) {
  double x[] = {0.9, 1.3, 0.4, -0.8, 0.6, 1.1};
  CHECK_ENGINE(SECOND_CHECK(f, x, N));
  return check_done();
}
