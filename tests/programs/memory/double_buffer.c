/* Blocks kept by the caller between two derivatives, swapped by pointer inside: double buffering behind a struct. */
#include "check.h"

struct buffers {
  double *front, *back;
  int n, flips;
};
static NOINLINE void flip(struct buffers *b) {
  double *t = b->front;
  b->front = b->back;
  b->back = t;
  b->flips++;
}
static NOINLINE void smooth(struct buffers *b) {
  for (int i = 0; i < b->n; i++)
    b->back[i] = 0.5 * b->front[i] + 0.25 * (b->front[(i + 1) % b->n] + b->front[(i + b->n - 1) % b->n]) * b->front[i];
  flip(b);
}
static double relax(const double *x) {
  double one[4], two[4], s = 0;
  struct buffers b = {one, two, 4, 0};
  memcpy(one, x, sizeof one);
  for (int t = 0; t < 5; t++) {
    smooth(&b);
    if (t == 2) flip(&b);
    s += b.front[t % 4] * b.back[0];
  }
  return s * b.flips;
}
DERIVED(relax)

int main(void) {
  double x[4] = {0.6, -0.45, 0.8, 0.5};
  CHECK_DERIVED(relax, x);
  return check_done();
}
