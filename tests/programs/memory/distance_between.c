// refused: is kept in an integer
// A pointer that is kept as the distance from itself, which leads to another object.
#include "check.h"

struct offset {
  intptr_t distance;
};
static NOINLINE void set(struct offset *o, double *p) { o->distance = (intptr_t)p - (intptr_t)o; }
static NOINLINE double *get(struct offset *o) { return (double *)((intptr_t)o + o->distance); }
static double f(const double *x) {
  double a[2] = {x[0] * x[1], x[1]};
  struct offset o;
  set(&o, &a[0]);
  double s = *get(&o) * x[0];
  set(&o, &a[1]);
  *get(&o) *= s;
  return a[1] * a[0];
}
DERIVED(f)

int main(void) {
  double x[] = {0.7, 1.3};
  CHECK_DERIVED(f, x);
  return check_done();
}
