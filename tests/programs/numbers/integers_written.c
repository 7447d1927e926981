/* Integers that mathematical functions write, take and return, kept in memory without any type metadata (-O0). */
#define _GNU_SOURCE
#include "check.h"

typedef struct { int quotient; double rest; int sign; } Parts;

static NOINLINE void parts(double v, Parts *p) {
  p->rest = remquo(v, 0.7, &p->quotient);
  double g = lgamma_r(v + 3, &p->sign);
  p->rest += g * p->sign;
}
static double objective(const double *x) {
  int e[2], *again = e;
  double m = frexp(x[0] * x[1], &e[0]), n = frexp(x[1], e + 1), whole;
  double y = ldexp(m * m, again[0]) + scalbn(n * x[2], *(again + 1));
  Parts p, q;
  parts(x[2], &p);
  q = p;
  y += q.rest * x[0] * (1 + q.quotient);
  double fraction = modf(x[1] * 3.7, &whole);
  int k = ilogb(x[1] * 64);
  y += fraction * whole + jn(e[1] + 2, x[0]) + ilogb(x[2] * 100) * x[0];
  return y + __builtin_powi(x[0], k) + scalbln(x[1], lround(x[2] * 5));
}
static void reverse(const double *x, double *g) { __enzyme_autodiff((void *)objective, enzyme_dup, x, g); }
static double forward(const double *x, const double *v) {
  return __enzyme_fwddiff((void *)objective, enzyme_dup, x, v);
}

int main(void) {
  double x[] = {1.3, 0.8, 2.21};
  CHECK(objective, reverse, forward, x);
  return check_done();
}
