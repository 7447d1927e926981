/* A binary heap of structs, sifted up and down by active keys: Huffman-like merging of the two least. */
#include "check.h"

struct item {
  double key;
  int id;
  float label;
};
static void up(struct item *h, int i) {
  while (i > 0 && h[(i - 1) / 2].key > h[i].key) {
    struct item t = h[i];
    h[i] = h[(i - 1) / 2];
    h[(i - 1) / 2] = t;
    i = (i - 1) / 2;
  }
}
static struct item pop(struct item *h, int *n) {
  struct item least = h[0], moved = h[--*n];
  int i = 0;
  for (int c; (c = 2 * i + 1) < *n; i = c) {
    if (c + 1 < *n && h[c + 1].key < h[c].key) c++;
    if (moved.key <= h[c].key) break;
    h[i] = h[c];
  }
  h[i] = moved;
  return least;
}
static double f(const double *x) {
  struct item heap[16];
  int n = 0;
  double cost = 0;
  for (int i = 0; i < 8; i++) {
    heap[n] = (struct item){x[i] * x[i] + 0.1 * i, i, 0.5f * i};
    up(heap, n++);
  }
  while (n > 1) {
    struct item a = pop(heap, &n), b = pop(heap, &n);
    cost += (a.key + b.key) * (1 + 0.01 * a.id) + a.key * b.key;
    heap[n] = (struct item){a.key + b.key * 1.1, a.id + b.id, a.label};
    up(heap, n++);
  }
  return cost + heap[0].key * heap[0].key;
}
DERIVED(f)

int main(void) {
  double x[8] = {0.6, 0.7, -0.55, 0.75, -1.1, 0.4, 1.1, -0.2};
  CHECK_DERIVED(f, x);
  return check_done();
}
