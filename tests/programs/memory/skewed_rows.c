/* Sweeps over a table in which each number waits for the one before it in its row: in place, over some steps. Each breaks
 * one of the things that it takes to run rows one round behind each other, or none: rows that reach further ahead than
 * one round, a row that all others read, rows that overlap, a number behind the row that its end sets. */
#include "check.h"

#define N 9
#define M 15
#define WIDE (M + 3)
#define SIZE ((N + 3) * WIDE)

static double energy(const double *u) {
  double s = 0;
  for (int i = 0; i < SIZE; i++)
    s += (1 + i % 3) * u[i] * u[i];
  return s;
}

#define SWEEP(name, BEFORE, BODY, BEHIND)                                                        \
  static double name(const double *start, int n, int m, int w, int times) {                      \
    double *u = malloc(sizeof(double) * SIZE), s;                                                \
    memcpy(u, start, sizeof(double) * SIZE);                                                     \
    for (int t = 0; t < times; t++)                                                              \
      for (int i = 1; i <= n; i++) {                                                             \
        BEFORE;                                                                                  \
        for (int j = 1; j <= m; j++) {                                                           \
          double *x = u + i * w + j;                                                             \
          *x = BODY;                                                                             \
        }                                                                                        \
        BEHIND;                                                                                  \
      }                                                                                          \
    s = energy(u);                                                                               \
    free(u);                                                                                     \
    return s;                                                                                    \
  }                                                                                              \
  static double name##_wide(const double *x) { return name(x, N, M, WIDE, 3); }                  \
  static void name##_wide_gradient(const double *x, double *g) {                                 \
    __enzyme_autodiff((void *)name, x, g, N, M, WIDE, 3);                                        \
  }                                                                                              \
  static double name##_wide_tangent(const double *x, const double *v) {                          \
    return __enzyme_fwddiff((void *)name, x, v, N, M, WIDE, 3);                                  \
  }                                                                                              \
  static double name##_close(const double *x) { return name(x, N, M, M - 4, 2); }                \
  static void name##_close_gradient(const double *x, double *g) {                                \
    __enzyme_autodiff((void *)name, x, g, N, M, M - 4, 2);                                       \
  }                                                                                              \
  static double name##_close_tangent(const double *x, const double *v) {                         \
    return __enzyme_fwddiff((void *)name, x, v, N, M, M - 4, 2);                                 \
  }

SWEEP(relax, , 0.25 * (x[-w] + x[w] + x[-1] + x[1] - 0.3 * *x * *x * *x), )
SWEEP(ahead, , 0.2 * (x[-w + 4] + x[-1]) + 0.1 * x[-1] * x[-1], )
SWEEP(all_read, , 0.3 * u[w + j] + 0.2 * x[-1] * x[-1], )
SWEEP(behind, double a = u[i * w], a = 0.4 * a + 0.1 * a * x[-w] + 0.2 * x[-1], u[i * w + w - 1] += a)
SWEEP(before, u[i * w] *= u[(i - 1) * w + m], 0.3 * x[-1] * x[-1] + 0.5 * x[-w], )

#define TRY(name)                                                        \
  CHECK(name##_wide, name##_wide_gradient, name##_wide_tangent, x);      \
  CHECK(name##_close, name##_close_gradient, name##_close_tangent, x);

int main(void) {
  static double x[SIZE];
  for (int i = 0; i < SIZE; i++)
    x[i] = sin(1 + 0.7 * i);
  TRY(relax)
  TRY(ahead)
  TRY(all_read)
  TRY(behind)
  TRY(before)
  return check_done();
}
