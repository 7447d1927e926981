/* A hash map from keys to numbers: chained nodes, a table that is rehashed, entries removed and freed on the way. */
#include "check.h"

struct entry {
  unsigned key;
  double value;
  struct entry *next;
};
struct map {
  struct entry **slots;
  int size, count;
};

static NOINLINE double *find(struct map *m, unsigned key) {
  for (struct entry *e = m->slots[key % m->size]; e; e = e->next)
    if (e->key == key) return &e->value;
  return 0;
}
static NOINLINE void grow(struct map *m) {
  int size = 2 * m->size;
  struct entry **slots = calloc(size, sizeof *slots);
  for (int i = 0; i < m->size; i++)
    for (struct entry *e = m->slots[i], *next; e; e = next) {
      next = e->next;
      e->next = slots[e->key % size];
      slots[e->key % size] = e;
    }
  free(m->slots);
  m->slots = slots;
  m->size = size;
}
static NOINLINE void put(struct map *m, unsigned key, double value) {
  double *old = find(m, key);
  if (old) {
    *old = *old * 0.5 + value;
    return;
  }
  if (m->count == m->size) grow(m);
  struct entry *e = malloc(sizeof *e);
  e->key = key;
  e->value = value;
  e->next = m->slots[key % m->size];
  m->slots[key % m->size] = e;
  m->count++;
}
static NOINLINE void drop(struct map *m, unsigned key) {
  for (struct entry **p = &m->slots[key % m->size]; *p; p = &(*p)->next)
    if ((*p)->key == key) {
      struct entry *gone = *p;
      *p = gone->next;
      free(gone);
      m->count--;
      return;
    }
}
static double use(const double *x) {
  struct map m = {calloc(2, sizeof(struct entry *)), 2, 0};
  double s = 0;
  for (int i = 0; i < 12; i++) {
    put(&m, (i * 7) % 9, x[i % 4] * (s + 1));
    double *p = find(&m, (i * 3) % 9);
    if (p) s += *p * x[(i + 1) % 4];
    if (i % 4 == 3) drop(&m, (i * 7) % 9);
  }
  for (int i = 0; i < m.size; i++)
    for (struct entry *e = m.slots[i], *next; e; e = next) {
      s += e->value * e->value * (e->key + 1);
      next = e->next;
      free(e);
    }
  free(m.slots);
  return s;
}
DERIVED(use)

int main(void) {
  double x[4] = {0.6, -0.45, 0.8, 0.5};
  for (int i = 0; i < 2; i++) CHECK_DERIVED(use, x);
  return check_done();
}
