/* Second derivatives of loops that call a recursive function in two ways: pointers to frames of two layouts are kept. A
 * number in a frame is no pointer then, however small it is: this one is less than any normal number. */
#include <math.h>
#include <stdlib.h>

#include "second.h"

static NOINLINE void rounds(double *a, double *b, int n, double s) {
  if (n <= 0) return;
  b[n - 1] *= 0.7 + 0.1 * sin(b[n - 1] * b[n - 1]);
  rounds(a, b, n - 1, a[n - 1]);
  b[n - 1] = b[n - 1] * (1.0 + tanh(b[n - 1]));
}

static volatile int limit = 4;

static NOINLINE double f(const double *x) {
  const int n = limit;
  double a[5], s = 0.3;
  for (int i = 0; i < 4; i++) a[i] = x[i];
  a[4] = x[1];
  double *h = (double *)calloc(5, sizeof(double));
  h[4] = 1e-309;
  for (int i = 2; i < n; i++) {
    s = tanh(s + a[i] * x[0]);
    rounds(a, a, 5, s);
    rounds(h + 1, a, 4, 0.25);
    h[i] = a[i - 1] * x[1];
  }
  s += x[0] * x[1];
  for (int i = 0; i < 4; i++) s += a[i] + h[i] * x[i];
  free(h);
  return s;
}
SECOND(f, 4)

int main(void) {
  double x[] = {0.5, 0.25, -0.75, 0.4};
  CHECK_ENGINE(SECOND_CHECK(f, x, 4));
  return check_done();
}
