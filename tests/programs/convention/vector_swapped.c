/* Pointers to memory of the function's own that a loop exchanges, in front of a loop that adds through them. */
#include "vector.h"

static REAL subject(REAL *x, int n) {
  REAL one[8], other[8], last[8];
  for (int i = 0; i < 8; i++) one[i] = x[i] * 0.5, other[i] = x[7 - i] * x[i];
  REAL *p = n > 4 ? one : other, *q = n > 4 ? other : one;
  for (int round = 0; round < n; round++) {
    REAL factor = last[round] = x[round] * x[0];
    for (int turn = 0; turn < 3; turn++) {
      for (int i = 0; i < n; i++) q[i] = q[i] * 0.9 + p[7 - i] * 0.1;
      REAL *held = p;
      p = q;
      q = held;
    }
    for (int i = 0; i <= round; i++) {
      q[i] += factor * 0.3 * (i + 1);
      p[i] -= last[0] * 0.1;
    }
  }
  REAL s = 0;
  for (int i = 0; i < 8; i++) s += one[i] * other[i] + last[i] * p[i];
  return s;
}
