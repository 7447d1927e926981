/* A block that grows by realloc in a function of its own: the size of what was moved is moved of the allocator, and
 * that question is met again by the derivative of the derivative. */
#include "second.h"

struct grown {
  double *data;
  int n, room;
};

static NOINLINE void grow(struct grown *g, double v) {
  if (g->n == g->room) {
    g->room = g->room ? 2 * g->room : 1;
    g->data = realloc(g->data, g->room * sizeof *g->data);
  }
  g->data[g->n++] = v;
}

static NOINLINE double weigh(const double *d, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) s += d[i] * d[i] * (1 + 0.1 * i) * sin(d[0]);
  return s;
}

static double f(const double *x) {
  struct grown g = {0, 0, 0};
  for (int i = 0; i < 9; i++) grow(&g, x[i % 3] * (1 + 0.2 * i));
  for (int i = 0; i < 5; i++)
    if (i % 2) grow(&g, sin(g.data[g.n / 2] * g.data[0]) * x[2]);
  double s = weigh(g.data, g.n);
  free(g.data);
  return s;
}
SECOND(f, 3)

/* Sizes that the allocator rounds up: what fits into a block need not fit into its shadow. */
static double moved(const double *x) {
  double *a = malloc(2 * sizeof *a), s = 0;
  a[0] = x[0] * x[1];
  a[1] = x[1] * x[2];
  a = realloc(a, 40 * sizeof *a);
  for (int i = 2; i < 40; i++) a[i] = sin(a[i - 1]) * a[i - 2] + 0.1 * x[i % 3];
  a = realloc(a, 30 * sizeof *a);
  double *b = realloc(0, 3 * sizeof *b);
  memcpy(b, a + 27, 3 * sizeof *b);
  free(a);
  s = b[0] * b[1] + b[2];
  free(b);
  return s;
}
SECOND(moved, 3)

int main(void) {
  double x[] = {0.9, 0.4, 0.7};
  CHECK_ENGINE(SECOND_CHECK(f, x, 3));
  CHECK_ENGINE(SECOND_CHECK(moved, x, 3));
  return check_done();
}
