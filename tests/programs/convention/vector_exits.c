/* Lanes through loops that are left early, by several ways, and through switches and jumps. */
#define WIDTH_B 3
#include "vector.h"

static NOINLINE double search(double *x, int n, double limit) {
  double s = 0;
  for (int i = 0; i < n; i++) {
    if (x[i] > limit) return s * x[i];
    for (int j = i; j < n; j++) {
      if (j == 6) goto next;
      if (j == i + 4) break;
      s += 0.2 * x[j] * x[i];
    }
    x[i] *= 1.1;
    continue;
  next:
    x[i] += 0.05 * s;
  }
  return s;
}
static REAL subject(REAL *x, int n) {
  double s = search(x, n, 1.2) + search(x, n - 3, 100), t = 0;
  int state = 0;
  for (int steps = 0; steps < 9; steps++) {
    switch (state) {
      case 0: t += x[steps % n] * s; state = 2; break;
      case 1: t *= 0.5; x[steps % n] = t; state = 3; break;
      case 2: t = sin(t) + 1; state = t > -3 ? 1 : 0; break;
      default: s += t * t; state = 0;
    }
  }
  while (t < 12) t = t * 1.5 + 0.1 * x[2];
  return s + t;
}
