/* Switches that fall through, with the default in the middle, entered in the middle of a loop (Duff), left by goto. */
#include "check.h"

static double ladder(const double *x, int n) {
  double s = 1;
  for (int i = 0; i < n; i++) {
    switch ((i * 5 + 2) % 7) {
    case 0: s += x[i];
    case 3: s *= 1 + 0.2 * x[i];
    default: s = s * 0.9 + x[i] * x[i];
    case 5:
      if (s > 6) continue;
      s += sin(x[i]);
      break;
    case 6: goto next;
    case 1: s = cos(s); break;
    }
    s *= 1.01;
    continue;
  next:
    s -= x[i] * s;
  }
  return s;
}

static double duff(const double *x, int count) {
  double s = 0.3;
  int k = 0, rounds = (count + 3) / 4;
  switch (count % 4) {
  case 0:
    do {
      s = s * x[k] + 1, k++;
    case 3: s = s + x[k] * x[k] * s, k++;
    case 2: s = sin(s) + x[k], k++;
    case 1: s = s * 0.5 - x[k] * s * s, k++;
    } while (--rounds > 0);
  }
  return s;
}

static double f(const double *x) { return ladder(x, 9) + ladder(x + 1, 7); }
DERIVED(f)
static double g(const double *x) { return duff(x, 9) + 2 * duff(x, 8) + 3 * duff(x, 7) + 4 * duff(x, 6); }
DERIVED(g)

int main(void) {
  double x[9] = {0.3, -0.7, 0.5, 1.1, -0.2, 0.8, 0.45, -0.9, 0.6};
  double y[9] = {1.3, 1.7, -1.5, 1.1, 2.2, 0.8, -1.45, 0.9, 1.6};
  CHECK_DERIVED(f, x);
  CHECK_DERIVED(f, y);
  CHECK_DERIVED(g, x);
  return check_done();
}
