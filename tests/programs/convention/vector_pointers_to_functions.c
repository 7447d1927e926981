/* Lanes through calls by pointers to functions. */
#define WIDTH_B 3
#include "vector.h"

typedef double (*kernel)(const double *, double *, int);
static NOINLINE double add(const double *a, double *b, int i) { return b[i] += a[i] * a[i]; }
static NOINLINE double scale(const double *a, double *b, int i) { return b[i] *= a[(i + 1) % 8]; }
static NOINLINE double keep(const double *a, double *b, int i) { return b[i] + sin(a[i]); }
static kernel table[3] = {add, scale, keep};

static NOINLINE double apply(kernel f, const double *a, double *b, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) s += f(a, b, i);
  return s;
}
static REAL subject(REAL *x, int n) {
  double y[8], s = 0;
  for (int i = 0; i < n; i++) y[i] = 0.3 * x[i];
  for (int k = 0; k < 4; k++) s += apply(table[k % 3], x, y, n) * 0.1;
  for (int i = 0; i < n; i++) x[i] = y[i] * table[i % 3](y, x, i);
  return s;
}
