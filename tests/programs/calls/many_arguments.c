/* More arguments than there are registers, of every kind, and large structs by value in the middle. */
#include "check.h"

struct big {
  double v[5];
  int tag;
};
struct pair {
  float a, b;
};
static NOINLINE double wide(double a, int i, float b, const double *c, struct big s, double d, long k, double e, double g,
                            double h, char z, struct pair p, double l, double m, double n, double o, double q, double *out) {
  s.v[i] += a * b;
  *out = s.v[0] * s.v[i] + q * p.a - p.b * o;
  return a * c[i] + d * e * k + g * h - l * m * n + s.v[4] * s.tag + z + *out * c[k];
}
static double f(const double *x) {
  struct big s = {{x[0], x[1], 0.5, x[2], x[3]}, 3};
  struct pair p = {(float)0.25f, 1.5f};
  double out, r = 0;
  for (int i = 0; i < 3; i++) {
    r += wide(x[0], i, 0.5f, x, s, x[1], 2, x[2], 0.3, x[3], 1, p, x[4], x[1], x[0] * i, x[2], x[3], &out);
    s.v[i] = 0.5 * out;
  }
  return r + s.v[1] * out;
}
DERIVED(f)

int main(void) {
  double x[5] = {0.6, 0.7, -0.55, 0.75, -0.3};
  CHECK_DERIVED(f, x);
  return check_done();
}
