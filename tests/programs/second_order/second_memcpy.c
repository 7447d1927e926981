/* Block copies and fills between working arrays. */
#include "second.h"
#define N 6

struct state {
  double a[N];
  int n;
  double b;
};
static double f(const double *x) {
  struct state s, t;
  double old[N];
  memcpy(s.a, x, sizeof s.a);
  s.n = N;
  s.b = x[0] * x[1];
  for (int step = 0; step < 3; step++) {
    memcpy(old, s.a, sizeof old);
    t = s;
    for (int i = 0; i < t.n; i++) s.a[i] = old[i] * t.a[(i + 1) % N] + t.b;
    s.b *= old[2];
    memmove(s.a + 1, s.a, 3 * sizeof *s.a);
  }
  double r = 0;
  for (int i = 0; i < N; i++) r += s.a[i] * cos(s.b * 0.1);
  return r;
}
SECOND(f, N)

int main(void) {
  double x[] = {0.9, 0.3, 0.4, -0.8, 0.6, 0.5};
  CHECK_ENGINE(SECOND_CHECK(f, x, N));
  return check_done();
}
