/* Lanes through loops that work in place, each reading what the one before has written. */
#define WIDTH_A 1
#define WIDTH_B 3
#include "vector.h"

static REAL subject(REAL *x, int n) {
  for (int sweep = 0; sweep < 3; sweep++)
    for (int i = 1; i + 1 < n; i++) x[i] = 0.25 * (x[i - 1] + x[i + 1]) + 0.5 * x[i] * x[i];
  for (int i = 1; i < n; i++) x[i] += x[i - 1] * x[i - 1];
  for (int i = n - 1; i > 0; i--) x[i - 1] = x[i - 1] * x[i] / (1 + x[i]);
  return x[0] * x[n / 2];
}
