/* The tape is memory: a solver whose reverse solves the transposed system, as one would write it by hand. */
#include "check.h"
#define N 4

NOINLINE void solve(const double *a, const double *b, double *x, int n) {
  double m[N * N], y[N];
  memcpy(m, a, sizeof(double) * n * n);
  memcpy(y, b, sizeof(double) * n);
  for (int k = 0; k < n; k++)
    for (int i = k + 1; i < n; i++) {
      double l = m[i * n + k] / m[k * n + k];
      for (int j = k; j < n; j++) m[i * n + j] -= l * m[k * n + j];
      y[i] -= l * y[k];
    }
  for (int i = n - 1; i >= 0; i--) {
    double s = y[i];
    for (int j = i + 1; j < n; j++) s -= m[i * n + j] * x[j];
    x[i] = s / m[i * n + i];
  }
}

#ifndef REFERENCE
void *solve_augmented(const double *a, double *da, const double *b, double *db, double *x, double *dx, int n) {
  double *tape = malloc(sizeof(double) * (n * n + n));
  solve(a, b, x, n);
  memcpy(tape, a, sizeof(double) * n * n);
  memcpy(tape + n * n, x, sizeof(double) * n);
  return tape;
}

void solve_reverse(const double *a, double *da, const double *b, double *db, double *x, double *dx, int n, void *kept) {
  double *tape = kept, t[N * N], w[N];
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) t[i * n + j] = tape[j * n + i];
  solve(t, dx, w, n);
  for (int i = 0; i < n; i++) {
    if (db) db[i] += w[i];
    for (int j = 0; j < n; j++) da[i * n + j] -= w[i] * tape[n * n + j];
    dx[i] = 0;
  }
  free(tape);
}

void *__enzyme_register_gradient_solve[] = {(void *)solve, (void *)solve_augmented, (void *)solve_reverse};
#endif

static double energy(const double *a, const double *b, int n) {
  double x[N], y[N], s = 0;
  solve(a, b, x, n);
  solve(a, x, y, n);
  for (int i = 0; i < n; i++) s += y[i] * y[i] * (i + 1) + x[i];
  return s;
}

static const double right[N] = {1, -2, 0.5, 3};
static double objective(const double *z) { return energy(z, right, N); }
static double both(const double *z) { return energy(z, z + N * N, N); }

static void objective_reverse(const double *z, double *g) {
  __enzyme_autodiff((void *)energy, enzyme_dup, z, g, enzyme_const, right, enzyme_const, N);
}
static void both_reverse(const double *z, double *g) {
  __enzyme_autodiff((void *)energy, z, g, z + N * N, g + N * N, N);
}
static double both_forward(const double *z, const double *v) {
  return __enzyme_fwddiff((void *)energy, z, v, z + N * N, v + N * N, N);
}

int main(void) {
  double z[N * N + N];
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) z[i * N + j] = (i == j) * 4 + sin(3 * i + j);
  for (int i = 0; i < N; i++) z[N * N + i] = right[i] * 1.5;
  CHECK_N(objective, objective_reverse, 0, z, N * N);
  CHECK_N(both, both_reverse, both_forward, z, N * N + N);
  return check_done();
}
