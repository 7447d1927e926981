/* Lanes side by side in memory from operator new, whose blocks begin where it likes. */
#define WIDTH_A 5
#define WIDTH_B 8
#include "vector.h"

static REAL subject(REAL *x, int n) {
  double *own = new double[n], *other = new double[n]();
  for (int i = 0; i < n; i++) own[i] = x[i] * x[(i + 1) % n];
  for (int k = 0; k < n; k++) {
    double a = sin(x[k]);
    for (int i = 0; i < n; i++) other[i] += a * (i + k);
  }
  double s = 0;
  for (int i = 0; i < n; i++) s += own[i] * other[n - 1 - i] * 0.01;
  for (int i = 0; i < n; i++) x[i] = own[i] + 0.1 * other[i];
  delete[] own;
  delete[] other;
  return s;
}
