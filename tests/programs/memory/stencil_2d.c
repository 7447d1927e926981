/* A two-dimensional stencil with a border, in place in one colour after the other (red-black), and a flux form. */
#include "check.h"

#define N 5

static void red_black(double u[N][N], const double f[N][N], double omega, int rounds) {
  for (int r = 0; r < rounds; r++)
    for (int colour = 0; colour < 2; colour++)
      for (int i = 1; i < N - 1; i++)
        for (int j = 1 + ((i + colour) & 1); j < N - 1; j += 2) {
          double around = u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1];
          u[i][j] = (1 - omega) * u[i][j] + omega * (0.25 * around + f[i][j] * u[i][j] * u[i][j]);
        }
}

static double objective(const double *x) {
  double u[N][N], s = 0;
  memcpy(u, x, sizeof u);
  red_black(u, (const double(*)[N])(x + N * N), x[2 * N * N], 2);
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) s += u[i][j] * (i + 0.3 * j);
  return s;
}
static void gradient(const double *x, double *g) {
  double u[N][N];
  memcpy(u, x, sizeof u);
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) g[i * N + j] = i + 0.3 * j;
  g[2 * N * N] = __enzyme_autodiff((void *)red_black, enzyme_dup, u, g, enzyme_dup, x + N * N, g + N * N, enzyme_out,
                                   x[2 * N * N], 2);
}
static double tangent(const double *x, const double *v) {
  double u[N][N], d[N][N], s = 0;
  memcpy(u, x, sizeof u);
  memcpy(d, v, sizeof d);
  __enzyme_fwddiff((void *)red_black, enzyme_dup, u, d, enzyme_dup, x + N * N, v + N * N, enzyme_dup, x[2 * N * N],
                   v[2 * N * N], 2);
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) s += d[i][j] * (i + 0.3 * j);
  return s;
}

int main(void) {
  double x[2 * N * N + 1];
  for (int i = 0; i < 2 * N * N; i++) x[i] = sin(1.9 * i + 0.4);
  x[2 * N * N] = 0.8;
  CHECK(objective, gradient, tangent, x);
  return check_done();
}
