/* Disjoint sets with weights along the ways to the roots; path halving changes them while they are read. */
#include "check.h"

static int root(int *parent, double *way, int i) {
  while (parent[i] != i) {
    way[i] += way[parent[i]] * (parent[parent[i]] != parent[i]);
    parent[i] = parent[parent[i]];
    i = parent[i];
  }
  return i;
}
static double f(const double *x) {
  int parent[8];
  double way[8], s = 0;
  for (int i = 0; i < 8; i++) parent[i] = i, way[i] = 0.1 * x[i];
  for (int k = 0; k < 10; k++) {
    int a = k * 3 % 8, b = (k * 5 + 1) % 8, ra = root(parent, way, a), rb = root(parent, way, b);
    if (ra == rb) {
      s += way[a] * way[b] + x[k % 8];
    } else {
      parent[ra] = rb;
      way[ra] = x[a] * x[b] - way[a];
    }
  }
  for (int i = 0; i < 8; i++) s += sin(way[i]) * root(parent, way, i);
  return s;
}
DERIVED(f)

int main(void) {
  double x[8] = {0.6, 0.7, -0.55, 0.75, -1.1, 0.4, 1.1, -0.2};
  CHECK_DERIVED(f, x);
  return check_done();
}
