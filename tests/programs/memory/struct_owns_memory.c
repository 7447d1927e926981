/* Polynomials as structs that own memory, returned by value, multiplied, composed, released by their users. */
#include "check.h"

struct poly {
  int n;
  double *c;
};
static NOINLINE struct poly poly_new(int n) { return (struct poly){n, calloc(n, sizeof(double))}; }
static NOINLINE void poly_free(struct poly p) { free(p.c); }
static NOINLINE struct poly poly_mul(struct poly a, struct poly b) {
  struct poly r = poly_new(a.n + b.n - 1);
  for (int i = 0; i < a.n; i++)
    for (int k = 0; k < b.n; k++) r.c[i + k] += a.c[i] * b.c[k];
  return r;
}
static NOINLINE double poly_at(struct poly p, double x) {
  double s = 0;
  for (int i = p.n; i-- > 0;) s = s * x + p.c[i];
  return s;
}
static double f(const double *x) {
  struct poly p = poly_new(2);
  p.c[0] = x[0], p.c[1] = x[1];
  struct poly power = poly_new(1);
  power.c[0] = 1;
  double s = 0;
  for (int i = 0; i < 4; i++) {
    struct poly next = poly_mul(power, p);
    poly_free(power);
    power = next;
    s += poly_at(power, x[2]) * (i + 1);
  }
  s += poly_at(p, s * 0.1) * power.c[2];
  poly_free(power);
  poly_free(p);
  return s;
}
DERIVED(f)

int main(void) {
  double x[4] = {0.6, -0.45, 0.8, 0.5};
  CHECK_DERIVED(f, x);
  return check_done();
}
