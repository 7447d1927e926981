/* Lanes through global variables: constant tables, and an array that the program works in. */
#define WIDTH_B 3
#include "vector.h"

static const double table[8] = {0.3, -0.2, 0.5, 0.7, -0.9, 0.4, 0.1, 0.6};
static double work[8];
static double total;

static NOINLINE void gather(const double *x, int n) {
  total = 0;
  for (int i = 0; i < n; i++) {
    work[i] = x[i] * table[i] + (i ? work[i - 1] : 0);
    total += work[i] * x[n - 1 - i];
  }
}
static REAL subject(REAL *x, int n) {
  gather(x, n);
  double first = total;
  for (int i = 0; i < n; i++) x[i] = work[i] * first;
  gather(x, n);
  return total + first;
}
