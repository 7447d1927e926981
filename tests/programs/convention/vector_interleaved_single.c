/* Lanes side by side in single precision, where a register holds twice as many, with numbers of double precision beside. */
#define REAL float
#define CLOSE 2e-5
#define SINGLE
#define WIDTH_A 5
#define WIDTH_B 8
#include "vector.h"

static REAL subject(REAL *x, int n) {
  float f[8], s = 0;
  double *wide = (double *)malloc(n * sizeof *wide);
  for (int i = 0; i < n; i++) f[i] = 0.5f * (float)i;
  for (int i = 0; i < n; i++) f[i] += x[i];
  for (int i = 1; i < n; i++) f[i] *= 1.0f + 0.125f * f[i - 1];
  for (int i = 0; i < n; i++) wide[i] = (double)f[i] * f[n - 1 - i];
  for (int i = 1; i < n; i++) wide[i] += 0.01 * wide[i - 1];
  for (int i = 0; i < n; i++) x[i] = (float)wide[i];
  for (int i = 0; i < n; i++) s += f[i] > 1.0f ? f[i] : (float)wide[n - 1 - i];
  free(wide);
  return s;
}
