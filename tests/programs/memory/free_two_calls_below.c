/* Memory freed by a function two calls below the one that allocates it, in a loop, and by mutual recursion. */
#include "check.h"

struct cell {
  double v;
  struct cell *below;
};
static NOINLINE void release(void *p) { free(p); }
static NOINLINE void drop(struct cell *c) { release(c); }
static NOINLINE double odd(struct cell *c, double by);
static NOINLINE double even(struct cell *c, double by) {
  if (!c) return by;
  struct cell *below = c->below;
  double v = c->v * by;
  drop(c);
  return odd(below, v + 1) + v;
}
static NOINLINE double odd(struct cell *c, double by) {
  if (!c) return by * by;
  double r = even(c->below, by * c->v);
  r += c->v;
  drop(c);
  return r;
}
static double tower(const double *x) {
  double s = 0;
  for (int round = 0; round < 3; round++) {
    struct cell *top = 0;
    for (int i = 0; i < 5; i++) {
      struct cell *c = malloc(sizeof *c);
      c->v = x[i % 4] * (round + 1) + s * 0.1;
      c->below = top;
      top = c;
    }
    s += round & 1 ? odd(top, x[0]) : even(top, x[1]);
  }
  return s;
}
DERIVED(tower)

int main(void) {
  double x[4] = {0.6, -0.45, 0.8, 0.5};
  CHECK_DERIVED(tower, x);
  return check_done();
}
