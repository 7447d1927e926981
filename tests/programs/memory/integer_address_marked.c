/* A marked pointer as an integer in a union beside a number. */
#include "check.h"
union cell {
  double d;
  uintptr_t u;
};
static NOINLINE void put(union cell *c, const double *x) {
  c[0].u = (uintptr_t)x + 1;
  c[1].d = x[1] * x[2];
}
static NOINLINE double get(union cell *c) {
  double *p = (double *)(c[0].u - 1);
  return p[0] * c[1].d;
}
static double f(const double *x) {
  union cell c[2];
  put(c, x);
  return get(c) * x[0];
}
DERIVED(f)
int main(void) {
  double x[3] = {0.6, 0.7, -0.55};
  CHECK_DERIVED(f, x);
  return check_done();
}
