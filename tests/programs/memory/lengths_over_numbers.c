/* A list's length and its nodes' numbers in one place, as far as types without metadata tell. */
#include "check.h"

struct node { double v; struct node *next; };
struct head { long n; struct node *first; };

static NOINLINE struct node *as_node(struct head *h) { return (struct node *)h; }

static double summed(const double *x) {
  struct head h = {0, 0};
  for (int i = 0; i < 3; i++) {
    struct node *k = malloc(sizeof *k);
    k->v = x[i] * x[i];
    k->next = h.first;
    h.first = k;
    h.n += 1 + i - i;
  }
  h.n = h.n * 2 - h.n % 4;
  double sum = 0;
  for (struct node *k = h.first; k; k = k->next) sum = sum * 0.5 + k->v * sum + k->v;
  if (x[0] > 100) sum += as_node(&h)->v;
  while (h.first) {
    struct node *k = h.first;
    h.first = k->next;
    free(k);
  }
  return sum * h.n;
}
DERIVED(summed)

int main(void) {
  const double x[] = {0.7, -1.1, 1.9};
  CHECK_DERIVED(summed, x);
  return check_done();
}
