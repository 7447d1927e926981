// aborts: a function pointer leads to a function that was not part of the program
/* What is called through a registry, and would write into it, comes from a library: only there is the input used. */
#define _GNU_SOURCE
#include <dlfcn.h>

#include "check.h"

struct entry {
  double (*function)(double, double *);
  double whole;
};
static double known(double v, double *whole) { return v; }
static double (*volatile given)(double, double *) = known;
static struct entry *registry(void) {
  static struct entry *made;
  if (!made) {
    made = malloc(sizeof *made);
    made->function = given;
    made->whole = 3;
  }
  return made;
}
static NOINLINE void pass(struct entry *e, double v) { e->function(v, &e->whole); }

static double applied(const double *x) {
  struct entry *e = registry();
  pass(e, x[0] * 10);
  return e->whole * x[1];
}
DERIVED(applied)

int main(void) {
  double x[] = {0.77, 1.2};
  given = (double (*)(double, double *))dlsym(RTLD_DEFAULT, "modf");
  if (!given) return 3;
  applied(x);
  CHECK_DERIVED(applied, x);
  return check_done();
}
