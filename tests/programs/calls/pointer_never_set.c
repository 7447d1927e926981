/* Callbacks that a container offers and nobody sets: the program takes the address of no function of their type. */
#include "check.h"

struct list {
  double *items;
  int used;
  void (*drop)(double *item);
  double (*weigh)(double item, double scale);
};

static NOINLINE void push(struct list *l, double item) {
  l->items = realloc(l->items, sizeof(double) * (l->used + 1));
  l->items[l->used++] = l->weigh ? l->weigh(item, item) : item;
}
static NOINLINE void finish(struct list *l) {
  if (l->drop)
    for (int i = 0; i < l->used; i++) l->drop(&l->items[i]);
  free(l->items);
}
static double f(const double *x) {
  struct list l = {0};
  double s = 0;
  for (int i = 0; i < 5; i++) push(&l, x[i % 3] * x[0] * i);
  for (int i = 0; i < l.used; i++) s += l.items[i] * l.items[(i + 1) % l.used];
  finish(&l);
  return s;
}
DERIVED(f)

int main(void) {
  double x[] = {0.7, -0.4, 1.1};
  CHECK_DERIVED(f, x);
  return check_done();
}
