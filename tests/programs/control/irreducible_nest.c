/* Jumps into loops inside of loops, with values, arrays and counters that live across; three entries to one loop. */
#include "check.h"

static double tangle(const double *x, int n, int way) {
  double a[4] = {0.1, 0.2, 0.3, 0.4}, s = x[0], t = 1, kept = x[1] * x[1];
  int i = 0, j = 0, rounds = 0, fuel = 60;
  switch (way) {
  case 1: goto inside;
  case 2: s = sin(s); goto deep;
  case 3: t = s * kept; goto last;
  }
outer:
  s += kept * x[i];
  for (j = 0; j < 3; j++) {
    a[j] = a[j] * s + x[j];
  inside:
    t *= 1 + 0.1 * a[j] * x[i];
    if (t > 4) goto last;
    while (a[j] > 0.5 && fuel-- > 0) {
      a[j] = a[j] * 0.5 - 0.1 * x[(i + j) % n] * t;
    deep:
      s -= 0.2 * a[j] * kept;
      if (s < -3 || --fuel < 0) goto out;
    }
  }
  kept = kept * 0.9 + a[2] * 0.1;
last:
  a[3] += t * s;
  if (++i < n && ++rounds < 9) {
    if (i % 3 == 2) {
      j = 1;
      goto deep;
    }
    goto outer;
  }
out:
  return s * t + a[0] * a[1] + a[2] * a[3] + kept;
}
static double f(const double *x) {
  double s = 0;
  for (int way = 0; way < 4; way++) s += (way + 1) * tangle(x + way % 2, 5, way);
  return s;
}
DERIVED(f)

int main(void) {
  double x[6] = {0.6, -0.53, 0.8, 0.77, -0.9, 0.75}, y[6] = {1.6, 0.5, 1.8, -0.72, 0.95, 1.71};
  CHECK_DERIVED(f, x);
  CHECK_DERIVED(f, y);
  return check_done();
}
