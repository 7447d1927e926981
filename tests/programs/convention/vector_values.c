/* Lanes of structures passed and returned by value, in registers and in memory. */
#define WIDTH_B 3
#include "vector.h"

struct small {
  double re, im;
};
struct large {
  double m[6];
  int n;
};
static NOINLINE struct small times(struct small a, struct small b) {
  struct small r = {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
  return r;
}
static NOINLINE struct large spread(struct large a, struct small b) {
  for (int i = 0; i < a.n; i++) a.m[i] = a.m[(i + 1) % a.n] * b.re + b.im;
  a.n--;
  return a;
}
static REAL subject(REAL *x, int n) {
  struct small z = {x[0], x[1]}, c = {x[2], x[3]};
  struct large l = {{x[0], x[2], x[4], x[5], x[6], x[7]}, 6};
  for (int i = 0; i < 4; i++) {
    z = times(z, c);
    z.re += 0.1 * x[i + 4];
    l = spread(l, z);
    c.im = l.m[i];
  }
  for (int i = 0; i < n; i++) x[i] += l.m[i % 6] * z.im;
  return z.re * l.m[0];
}
