/* A list of heap nodes that hold active values and pointers to each other, built, walked and freed inside. */
#include "check.h"

struct node {
  double value;
  struct node *next;
};

static double chain(const double *x, int n) {
  struct node *head = 0;
  for (int i = 0; i < n; i++) {
    struct node *fresh = malloc(sizeof *fresh);
    fresh->value = x[i] * (head ? head->value + 1 : 1);
    fresh->next = head;
    head = fresh;
  }
  double s = 0;
  for (struct node *p = head; p; p = p->next) s = s * 0.5 + p->value * p->value;
  while (head) {
    struct node *next = head->next;
    free(head);
    head = next;
  }
  return s;
}

static double sum_list(const struct node *p) {
  double s = 0;
  for (; p; p = p->next) s += p->value * p->value * p->value;
  return s;
}

static double chain_objective(const double *x) { return chain(x, 5); }
static void chain_gradient(const double *x, double *g) { __enzyme_autodiff((void *)chain, x, g, 5); }
static double chain_tangent(const double *x, const double *v) {
  return __enzyme_fwddiff((void *)chain, enzyme_dup, x, v, 5);
}
/* The list and its shadow list are the caller's. */
static void link(struct node *nodes, const double *x, int n) {
  for (int i = 0; i < n; i++) {
    nodes[i].value = x ? x[i] : 0;
    nodes[i].next = i + 1 < n ? &nodes[i + 1] : 0;
  }
}
static double list_objective(const double *x) {
  struct node nodes[5];
  link(nodes, x, 5);
  return sum_list(nodes);
}
static void list_gradient(const double *x, double *g) {
  struct node nodes[5], shadow[5];
  link(nodes, x, 5);
  link(shadow, 0, 5);
  __enzyme_autodiff((void *)sum_list, enzyme_dup, nodes, shadow);
  for (int i = 0; i < 5; i++) g[i] = shadow[i].value;
}
static void list_closed(const double *x, double *g) {
  for (int i = 0; i < 5; i++) g[i] = 3 * x[i] * x[i];
}

int main(void) {
  double x[5] = {0.6, -0.45, 0.8, 0.5, -1.2};
  CHECK_CLOSED(list_objective, list_gradient, list_closed, 0, x);
  CHECK(chain_objective, chain_gradient, chain_tangent, x);
  return check_done();
}
