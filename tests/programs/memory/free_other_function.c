/* One noinline function builds a list, one walks it, one destroys it; and a block that its user frees. */
#include "check.h"

struct node {
  double value;
  struct node *next;
};

static NOINLINE struct node *build(const double *x, int n) {
  struct node *head = 0;
  for (int i = 0; i < n; i++) {
    struct node *fresh = malloc(sizeof *fresh);
    fresh->value = x[i] * (head ? head->value + 1 : 1);
    fresh->next = head;
    head = fresh;
  }
  return head;
}

static NOINLINE double walk(const struct node *p) {
  double s = 0;
  for (; p; p = p->next) s = s * 0.5 + p->value * p->value;
  return s;
}

static NOINLINE void destroy(struct node *head) {
  while (head) {
    struct node *next = head->next;
    free(head);
    head = next;
  }
}

static double chain(const double *x, int n) {
  struct node *head = build(x, n);
  double s = walk(head);
  head->value *= s;
  s += walk(head);
  destroy(head);
  return s * x[0];
}

/* takes a block, gives its sum, frees it */
static NOINLINE double consume(double *block, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) s += block[i] * block[i];
  free(block);
  return s;
}

static double loops(const double *x, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) {
    double *t = malloc(n * sizeof(double));
    for (int k = 0; k < n; k++) t[k] = x[k] * (i + 1) + s * 0.01;
    s += consume(t, n) * x[i];
  }
  return s;
}

static double chain_objective(const double *x) { return chain(x, 5); }
static void chain_gradient(const double *x, double *g) { __enzyme_autodiff((void *)chain, x, g, 5); }
static double chain_tangent(const double *x, const double *v) {
  return __enzyme_fwddiff((void *)chain, enzyme_dup, x, v, 5);
}
static double loops_objective(const double *x) { return loops(x, 5); }
static void loops_gradient(const double *x, double *g) { __enzyme_autodiff((void *)loops, x, g, 5); }
static double loops_tangent(const double *x, const double *v) {
  return __enzyme_fwddiff((void *)loops, enzyme_dup, x, v, 5);
}

int main(void) {
  double x[5] = {0.6, -0.45, 0.8, 0.5, 0.3};
  for (int round = 0; round < 2; round++) {
    CHECK(chain_objective, chain_gradient, chain_tangent, x);
    CHECK(loops_objective, loops_gradient, loops_tangent, x);
  }
  return check_done();
}
