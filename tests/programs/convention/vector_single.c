// reference: none (single precision is not differentiated by differences; other programs hold one lane to them)
/* Lanes of single precision. */
#define REAL float
#define CLOSE 2e-5
#define SINGLE
#define WIDTH_A 8
#define WIDTH_B 3
#include "vector.h"

static NOINLINE float step(float a, float *x, int i) {
  x[i] = a * x[i] + 0.25f;
  return sinf(a) * x[i];
}
static REAL subject(REAL *x, int n) {
  float s = 0.5f;
  for (int i = 0; i < n; i++) s = s * 0.5f + step(x[i], x, (i + 3) % n);
  for (int i = 0; i + 1 < n; i++) x[i + 1] += sqrtf(x[i] * x[i] + 1) * s;
  return s;
}
