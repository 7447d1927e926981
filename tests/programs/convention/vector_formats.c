// reference: none (single precision is not differentiated by differences; other programs hold one lane to them)
/* Lanes of numbers of three formats, converted into one another. */
#define WIDTH_B 3
#define CLOSE 1e-6
#define SINGLE
#include "vector.h"

struct mixed {
  float f;
  int i;
  long double l;
  double d;
};
static NOINLINE long double wide(long double a, float b) { return a * a * 0.5L + b; }
static REAL subject(REAL *x, int n) {
  struct mixed m[4];
  double s = 0;
  for (int i = 0; i < 4; i++) {
    m[i].f = (float)x[i];
    m[i].i = i;
    m[i].l = (long double)x[i + 1] * x[i];
    m[i].d = m[i].f * (double)m[i].l;
  }
  for (int i = 0; i < 4; i++) {
    m[3 - i].d += m[i].f * m[i].i;
    s += (double)wide(m[i].l, m[i].f) * m[3 - i].d;
  }
  for (int i = 0; i < n; i++) x[i] = (double)(m[i % 4].l * m[i / 2].f);
  return s;
}
