// aborts: a pointer in global 'made' leads to memory without a shadow
/* One of the functions of a registry keeps a number that depends on the input, and an earlier call made the registry. */
#include "check.h"

struct entry {
  double (*function)(struct entry *, double);
  double kept;
};
static struct entry *made;
static double remembers(struct entry *e, double v) { return e->kept = v * v; }
static double doubles(struct entry *e, double v) { return 2 * v; }
static NOINLINE struct entry *registry(void) {
  if (!made) {
    made = calloc(2, sizeof *made);
    made[0].function = remembers;
    made[1].function = doubles;
  }
  return made;
}

static double applied(const double *x) {
  struct entry *e = registry();
  for (int i = 0; i < 2; i++) e[i].function(&e[i], x[i]);
  return e[0].kept * x[1];
}
DERIVED(applied)

int main(void) {
  double x[] = {0.7, 1.2};
  CHECK_DERIVED(applied, x);
  return check_done();
}
