/* Constant tables of names and of constant structs, which lead to an active global; an optimiser keeps such tables as
 * distances. */
#include "check.h"

struct op {
  const char *name;
  double factor, *at;
  double (*apply)(double, double);
};
static double state[2];
static double times(double a, double b) { return a * b * state[0]; }
static double plus(double a, double b) { return a + b * b; }
static const struct op first = {"times", 2, state, times}, second = {"plus", 3, state + 1, plus};
static const struct op *const ops[] = {&first, &second, &first};
static const char *const names[] = {"one", "seventeen", "three"};
struct node {
  const char *name;
  const struct op *op;
  double value;
};

static NOINLINE void fill(struct node *n, int k, double value) {
  n->name = names[k % 3];
  n->op = ops[k % 3];
  n->value = value;
}

static double f(const double *x) {
  struct node *n = malloc(5 * sizeof *n);
  double s = 0;
  state[0] = x[0];
  state[1] = 2;
  for (int i = 0; i < 5; i++) fill(n + i, i * 2, x[i % 3] * x[1]);
  for (int i = 0; i < 5; i++) {
    s += n[i].op->apply(n[i].value, n[i].op->factor) * strlen(n[i].name);
    *n[i].op->at += n[i].value;
  }
  s += state[0] * state[1];
  free(n);
  return s;
}
DERIVED(f)

int main(void) {
  double x[3] = {0.7, 1.2, -0.9};
  CHECK_DERIVED(f, x);
  return check_done();
}
