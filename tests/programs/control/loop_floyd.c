/* Shortest ways: minima in place over a matrix, and Bellman-Ford that stops when nothing changes. */
#include "check.h"

enum { N = 5 };
static double ways(const double *x) {
  double d[N][N];
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) d[i][j] = i == j ? 0 : 0.3 + x[(i * 3 + j) % 8] * x[(i * 3 + j) % 8] + 0.05 * abs(i - j);
  for (int k = 0; k < N; k++)
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++)
        if (d[i][k] + d[k][j] < d[i][j]) d[i][j] = d[i][k] + d[k][j];
  double s = 0;
  for (int i = 0; i < N * N; i++) s += d[i / N][i % N] * (i % 3 + 1);
  return s;
}
static double relax(const double *x) {
  double dist[6] = {0, 1e3, 1e3, 1e3, 1e3, 1e3};
  int changed, rounds = 0;
  do {
    changed = 0;
    for (int e = 0; e < 12; e++) {
      int from = e % 6, to = (e * 5 + 1) % 6;
      double w = 0.2 + x[e % 8] * x[e % 8];
      if (dist[from] + w < dist[to] - 1e-9) dist[to] = dist[from] + w, changed = 1;
    }
  } while (changed && ++rounds < 10);
  return dist[1] + dist[2] * dist[5] + dist[3] * sin(dist[4]);
}
static double f(const double *x) { return ways(x) + relax(x); }
DERIVED(f)

int main(void) {
  double x[8] = {0.6, 0.7, -0.55, 0.75, -1.9, 0.4, 1.1, -0.2};
  CHECK_DERIVED(f, x);
  return check_done();
}
