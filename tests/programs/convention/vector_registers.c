/* Lanes of vector types: elements put in and taken out, shuffles, conditional lanes, sums of all elements. */
#define WIDTH_B 3
#include "vector.h"

typedef double four __attribute__((vector_size(32)));
static NOINLINE four turned(four a, four b) { return __builtin_shufflevector(a, b, 6, 0, 3, 5) * b + a; }
static REAL subject(REAL *x, int n) {
  four a = {x[0], x[1], x[2], x[3]}, b = {x[4], x[5], x[6], x[7]};
  for (int i = 0; i < n; i++) {
    four c = turned(a, b);
    a[i % 4] = c[(i + 1) % 4] * 0.5;
    b = c * 0.25 + b / (1 + a * a);
  }
  double s = 0;
  for (int i = 0; i < n; i++) s += x[i] * x[i];
  for (int i = 0; i < 4; i++) x[i] = a[i] * s, x[i + 4] = b[i];
  return a[0] + b[3] + s;
}
