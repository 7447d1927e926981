/* A hash table with chains that grows: integer keys, active values accumulated, everything rehashed and freed. */
#include "check.h"

struct entry {
  unsigned key;
  double value;
  struct entry *next;
};
struct table {
  struct entry **slot;
  int size, count;
};

static double *find(struct table *t, unsigned key);
static void grow(struct table *t) {
  int size = t->size * 2;
  struct entry **slot = calloc(size, sizeof *slot);
  for (int i = 0; i < t->size; i++)
    for (struct entry *e = t->slot[i], *next; e; e = next) {
      next = e->next;
      e->next = slot[e->key * 2654435761u % size];
      slot[e->key * 2654435761u % size] = e;
    }
  free(t->slot);
  t->slot = slot;
  t->size = size;
}
static NOINLINE double *find(struct table *t, unsigned key) {
  for (struct entry *e = t->slot[key * 2654435761u % t->size]; e; e = e->next)
    if (e->key == key) return &e->value;
  if (++t->count > t->size) grow(t);
  struct entry *made = malloc(sizeof *made), **at = &t->slot[key * 2654435761u % t->size];
  made->key = key;
  made->value = 0.1;
  made->next = *at;
  *at = made;
  return &made->value;
}
static double f(const double *x) {
  struct table t = {calloc(2, sizeof(struct entry *)), 2, 0};
  for (int i = 0; i < 24; i++) {
    double *v = find(&t, i * i % 13);
    *v += *v * x[i % 6] + x[(i + 1) % 6];
  }
  double s = 0;
  for (int i = 0; i < t.size; i++)
    for (struct entry *e = t.slot[i], *next; e; e = next) {
      next = e->next;
      s += sin(e->value) * (e->key + 1);
      free(e);
    }
  free(t.slot);
  return s;
}
DERIVED(f)

int main(void) {
  double x[6] = {0.6, 0.7, -0.55, 0.75, -1.1, 0.4};
  CHECK_DERIVED(f, x);
  return check_done();
}
