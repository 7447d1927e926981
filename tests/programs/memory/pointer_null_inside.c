/* A structure with room for a pointer that is null: the callee works in memory of its own then, through one pointer for
 * both, as solvers do that take a workspace or make one. Also where it is only read, and where a callee's callee does
 * it. */
#include "check.h"

typedef struct {
  double *space;
  const double *weight;
  int n;
} options;

static NOINLINE double work(const double *x, int n, const options *o) {
  double own[8], *s = o->space ? o->space : own;
  for (int i = 0; i < n; i++) s[i] = x[i] * x[(i + 1) % n];
  double sum = 0;
  for (int i = 0; i < n; i++) sum += s[i] * (i + 1);
  return sum;
}

static NOINLINE double weighed(const double *x, const options *o) {
  double own = x[1] * x[1];
  const double *w = o->weight ? o->weight : &own;
  return *w * x[0];
}

static NOINLINE double both(const double *x, const options *o) { return work(x, o->n, o) * weighed(x, o); }

static double nothing(const double *x) {
  options o = {0, 0, 4};
  return work(x, 4, &o) * x[3] + both(x, &o);
}
DERIVED(nothing)

static double given(const double *x) {
  double space[4] = {0};
  options o = {space, x + 1, 4};
  return work(x, 4, &o) + both(x, &o);
}
DERIVED(given)

static double heap(const double *x) {
  options *o = calloc(1, sizeof *o);
  o->n = 4;
  double first = both(x, o);
  if (x[0] > 0) o->space = malloc(4 * sizeof(double));
  double second = both(x, o);
  free(o->space);
  free(o);
  return first * second;
}
DERIVED(heap)

int main(void) {
  const double x[] = {0.7, -1.1, 1.9, 0.4};
  CHECK_DERIVED(nothing, x);
  CHECK_DERIVED(given, x);
  CHECK_DERIVED(heap, x);
  return check_done();
}
