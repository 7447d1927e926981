/* Read, write, read again: red-black relaxation, transposition, butterflies and scans in the array they work on. */
#include "check.h"

enum { N = 12 };
static double f(const double *x) {
  double a[N], s = 0;
  memcpy(a, x, sizeof a);
  for (int sweep = 0; sweep < 3; sweep++)
    for (int colour = 0; colour < 2; colour++)
      for (int i = 1 + colour; i < N - 1; i += 2) {
        double old = a[i];
        a[i] = 0.25 * (a[i - 1] + 2 * a[i] * a[i + 1] + a[i + 1]);
        s += old * a[i];
      }
  for (int i = 0; i < 3; i++)
    for (int j = i + 1; j < 3; j++) {
      double t = a[4 * i + j];
      a[4 * i + j] = a[4 * j + i] * 1.1;
      a[4 * j + i] = t * a[4 * i + j];
    }
  for (int h = 1; h < 8; h *= 2)
    for (int i = 0; i < 8; i += 2 * h)
      for (int j = i; j < i + h; j++) {
        double u = a[j], v = a[j + h];
        a[j] = u + v * s * 0.1;
        a[j + h] = u - v;
      }
  for (int i = 1; i < N; i++) a[i] = a[i] * 0.5 + a[i - 1] * a[i];
  for (int i = N - 2; i >= 0; i--) a[i] -= 0.3 * a[i + 1] * a[i];
  for (int i = 0; i < N; i++) s += a[i] * (i % 5 - 2);
  return s;
}
DERIVED(f)

int main(void) {
  double x[N] = {0.6, 0.7, -0.55, 0.75, -0.8, 0.4, 0.9, -0.2, 0.35, 0.8, -0.65, 0.15};
  CHECK_DERIVED(f, x);
  return check_done();
}
