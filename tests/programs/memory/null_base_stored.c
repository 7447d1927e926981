// flags: -fno-delete-null-pointer-checks
// aborts: steps from a null pointer
// reference: none (a step from the null pointer is what the sanitizer stops)
// What is added to the null pointer comes out of memory, where it could as well be a number.
#include "check.h"

struct view {
  char *base;
  uintptr_t step;
};
static NOINLINE double at(const struct view *v, double s) {
  double *p = (double *)(v->base + v->step);
  return *p * *p * s;
}
static double f(const double *x) {
  struct view v = {0, (uintptr_t)&x[1]};
  return at(&v, x[0]);
}
DERIVED(f)

int main(void) {
  double x[] = {0.7, 1.3};
  CHECK_DERIVED(f, x);
  return check_done();
}
