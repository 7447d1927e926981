/* A pool that hands blocks back and forth by a free list kept inside the blocks themselves. */
#include "check.h"

union block {
  union block *next;
  double v[4];
};
struct pool {
  union block *free, *all;
  int used;
};
static NOINLINE double *take(struct pool *p) {
  union block *b = p->free;
  if (b) p->free = b->next;
  else b = &p->all[p->used++];
  for (int i = 0; i < 4; i++) b->v[i] = 0;
  return b->v;
}
static NOINLINE void give(struct pool *p, double *v) {
  union block *b = (union block *)v;
  b->next = p->free;
  p->free = b;
}
static double work(const double *x) {
  struct pool p = {0, malloc(8 * sizeof(union block)), 0};
  double s = 0;
  double *held = take(&p);
  held[0] = x[0];
  for (int i = 0; i < 5; i++) {
    double *a = take(&p), *b = take(&p);
    for (int k = 0; k < 4; k++) a[k] = x[k % 3] * (k + s), b[k] = a[k] * held[0];
    s += a[1] * b[2] * 0.1;
    held[i % 4] += b[3] * 0.1;
    give(&p, a);
    give(&p, b);
  }
  for (int k = 0; k < 4; k++) s += held[k] * held[k];
  free(p.all);
  return s;
}
DERIVED(work)

int main(void) {
  double x[3] = {0.6, -0.45, 0.8};
  CHECK_DERIVED(work, x);
  return check_done();
}
