/* Open addressing with probing and tombstones, keys and values side by side in one block. */
#include "check.h"

enum { SIZE = 16 };
struct cell {
  int key;
  char state;
  double value;
};

static struct cell *probe(struct cell *table, int key) {
  struct cell *grave = 0;
  for (unsigned h = key * 7u;; h++) {
    struct cell *c = &table[h % SIZE];
    if (c->state == 0) return grave ? grave : c;
    if (c->state == 1 && c->key == key) return c;
    if (c->state == 2 && !grave) grave = c;
  }
}
static double f(const double *x) {
  struct cell *table = calloc(SIZE, sizeof *table);
  double s = 0;
  for (int i = 0; i < 30; i++) {
    struct cell *c = probe(table, i * 11 % 9);
    if (c->state != 1) {
      c->state = 1;
      c->key = i * 11 % 9;
      c->value = x[i % 5];
    } else if (i % 7 == 0) {
      s += c->value * c->value;
      c->state = 2;
    } else {
      c->value = c->value * x[i % 5] + 0.3 * s;
    }
  }
  for (int i = 0; i < SIZE; i++)
    if (table[i].state == 1) s = 0.8 * s + table[i].value * table[i].key;
  free(table);
  return s;
}
DERIVED(f)

int main(void) {
  double x[5] = {0.6, 0.7, -0.55, 0.75, -1.1};
  CHECK_DERIVED(f, x);
  return check_done();
}
