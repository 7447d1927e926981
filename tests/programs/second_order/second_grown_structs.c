/* Structs with pointers in blocks that grow or are sorted: what the allocator gave for them is no whole number of
 * structs, and derivatives of derivatives go by what it gave. */
// heavy: derivatives of derivatives
#include "second.h"

struct item {
  double v;
  int id;
  struct item *best;
};
struct list {
  struct item *items;
  int n, room;
};

static NOINLINE void add(struct list *l, double v) {
  if (l->n == l->room) {
    l->room = 2 * l->room + 1;
    l->items = realloc(l->items, l->room * sizeof *l->items);
  }
  l->items[l->n].v = v;
  l->items[l->n].best = 0;
  l->items[l->n].id = l->n;
  l->n++;
}

static int by_value(const void *a, const void *b) {
  double l = ((const struct item *)a)->v, r = ((const struct item *)b)->v;
  return (l > r) - (l < r);
}

static double grown(const double *x) {
  struct list l = {0, 0, 0};
  for (int i = 0; i < 6; i++) add(&l, x[i % 3] * (1 + 0.2 * i) * x[0]);
  for (int i = 0; i < 6; i++) l.items[i].best = &l.items[(i + 2) % 6];
  double s = 0;
  for (int i = 0; i < 6; i++) s += l.items[i].v * l.items[i].best->v * (1 + l.items[i].id);
  free(l.items);
  return s;
}
SECOND(grown, 3)

static double sorted(const double *x) {
  struct item *items = malloc(6 * sizeof *items);
  for (int i = 0; i < 6; i++) {
    items[i].v = x[i % 3] * x[i % 3] * (1 + 0.3 * i);
    items[i].id = i;
    items[i].best = 0;
  }
  qsort(items, 6, sizeof *items, by_value);
  double s = 1;
  for (int i = 0; i < 6; i++) s = 0.5 * s + items[i].v * s * (1 + items[i].id);
  free(items);
  return s;
}
SECOND(sorted, 3)

int main(void) {
  double x[] = {0.9, 0.4, 0.7};
  CHECK_ENGINE(SECOND_CHECK(grown, x, 3));
  CHECK_ENGINE(SECOND_CHECK(sorted, x, 3));
  return check_done();
}
