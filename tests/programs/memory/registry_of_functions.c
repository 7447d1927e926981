/* A registry that the first call fills, of functions and constants: what an earlier call has put there is no less
 * constant than what the derivative's own call puts there. */
#include "check.h"

struct entry {
  double (*function)(double, const double *);
  double constants[3];
  const char *name;
  struct entry *next;
};
static struct entry *registry;
static struct {
  const struct entry *last;
  int uses;
} cache;

static double polynomial(double v, const double *c) { return c[0] + v * (c[1] + v * c[2]); }
static double wave(double v, const double *c) { return c[0] * sin(c[1] * v + c[2]); }

static void enter(const char *name, double (*function)(double, const double *), double a, double b, double c) {
  struct entry *made = malloc(sizeof *made);
  *made = (struct entry){function, {a, b, c}, name, registry};
  registry = made;
}
static NOINLINE const struct entry *find(const char *name) {
  if (!registry) {
    enter("polynomial", polynomial, 1, -2, 0.5);
    enter("wave", wave, 1.5, 2, 0.3);
  }
  if (cache.last && strcmp(cache.last->name, name) == 0) return cache.uses++, cache.last;
  for (const struct entry *at = registry; at; at = at->next)
    if (strcmp(at->name, name) == 0) return cache.last = at;
  return 0;
}

static double applied(const double *x) {
  double s = 1;
  for (int i = 0; i < 4; i++) {
    const struct entry *e = find(i % 3 ? "wave" : "polynomial");
    s *= e->function(x[i % 2], e->constants) + e->constants[1] * x[0];
  }
  return s + find("wave")->constants[2] * x[1];
}
DERIVED(applied)

static void first(void) { /* nobody has filled the registry yet */
  double x[] = {0.3, -0.8}, before[2] = {0}, after[2] = {0};
  applied_gradient(x, before);
  applied_gradient(x, after);
  for (int i = 0; i < 2; i++) check_close("first and second", i, before[i], after[i], 1e-13);
}

int main(void) {
  double x[] = {0.7, 1.2};
  CHECK_ENGINE(first());
  CHECK_DERIVED(applied, x);
  return check_done();
}
