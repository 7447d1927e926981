/* A list that grows by realloc, made and freed again in every round of a loop. */
#include "check.h"

struct grow {
  double *data;
  int n, room;
};
static void grow(struct grow *g, double v) {
  if (g->n == g->room) {
    g->room = g->room ? 2 * g->room : 1;
    g->data = realloc(g->data, g->room * sizeof *g->data);
  }
  g->data[g->n++] = v;
}
static double f(const double *x) {
  double s = 0.1;
  for (int i = 0; i < 3; i++) {
    struct grow g = {0, 0, 0};
    for (int j = 0; j < 5; j++) grow(&g, x[j % 3] * x[i] + s);
    for (int j = 0; j < g.n; j++) s += sin(g.data[j]) * (j + 1);
    free(g.data);
  }
  return s;
}
DERIVED(f)

int main(void) {
  double x[3] = {0.6, 0.7, -0.55};
  CHECK_DERIVED(f, x);
  return check_done();
}
