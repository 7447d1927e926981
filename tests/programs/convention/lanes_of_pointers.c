/* Lanes of pointers that are chosen, carried through loops, kept in arrays, swapped, and returned. */
#define WIDTH_B 5
#include "vector.h"

static NOINLINE double *larger(double *a, double *b) { return *a > *b ? a : b; }
static NOINLINE void swap(double **a, double **b) {
  double *t = *a;
  *a = *b;
  *b = t;
}
static REAL subject(REAL *x, int n) {
  double scratch[8] = {0}, *from = x, *to = scratch, *rows[4];
  for (int k = 0; k < 5; k++) {
    for (int i = 0; i < n; i++) to[i] = from[i] * from[(i + k) % n] + 0.1 * from[i];
    double *t = from;
    from = to;
    to = t;
  }
  for (int i = 0; i < 4; i++) rows[i] = i % 2 ? &scratch[2 * i] : &x[2 * i];
  swap(&rows[0], &rows[3]);
  double s = 0;
  for (int i = 0; i < 4; i++) {
    *larger(rows[i], rows[(i + 1) % 4]) *= 0.75;
    s += rows[i][0] * rows[3 - i][1];
  }
  double *at = s > 0 ? x + 1 : scratch;
  for (const double *end = at + 5; at != end; at++) s += *at * *at;
  return s;
}
