// aborts: the program takes the address of no function of this type
/* A callback in memory leads to a function that is called by another type than its own. */
#include "check.h"

struct list {
  double item;
  double (*weigh)(double item);
};
static NOINLINE double weigh(const struct list *l) { return l->weigh ? l->weigh(l->item) : l->item; }
static NOINLINE double twice(double item, int unused) { return 2 * item + 0 * unused; }

static double f(const double *x) {
  struct list l = {x[0] * x[1], x[0] > 100 ? 0 : (double (*)(double))(void (*)(void))twice};
  return weigh(&l);
}
DERIVED(f)

int main(void) {
  double x[] = {0.7, -0.4};
  CHECK_DERIVED(f, x);
  return check_done();
}
