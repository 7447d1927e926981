/* A graph of nodes that point at each other: a network evaluated in rounds, weights on the edges, edges on the heap. */
#include "check.h"

struct edge;
struct vertex {
  double state, next;
  struct edge *out;
};
struct edge {
  double weight;
  struct vertex *to;
  struct edge *more;
};
static void join(struct vertex *a, struct vertex *b, double w) {
  struct edge *e = malloc(sizeof *e);
  *e = (struct edge){w, b, a->out};
  a->out = e;
}
static double f(const double *x) {
  struct vertex v[5] = {{0}};
  double s = 0;
  for (int i = 0; i < 5; i++) v[i].state = x[i];
  for (int i = 0; i < 8; i++) join(&v[i * 3 % 5], &v[(i * i + 1) % 5], x[i % 6] * 0.5 + 0.1);
  for (int round = 0; round < 3; round++) {
    for (int i = 0; i < 5; i++)
      for (struct edge *e = v[i].out; e; e = e->more) {
        e->to->next += e->weight * v[i].state;
        e->weight *= 1 + 0.05 * e->to->state;
      }
    for (int i = 0; i < 5; i++) v[i].state = tanh(v[i].next), v[i].next *= 0.25;
  }
  for (int i = 0; i < 5; i++) {
    s += v[i].state * (i + 1);
    for (struct edge *e = v[i].out, *more; e; e = more) {
      s += 0.1 * e->weight;
      more = e->more;
      free(e);
    }
  }
  return s;
}
DERIVED(f)

int main(void) {
  double x[6] = {0.6, 0.7, -0.55, 0.75, -1.1, 0.4};
  CHECK_DERIVED(f, x);
  return check_done();
}
