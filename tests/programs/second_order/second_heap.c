/* Scratch memory from malloc, freed before the function returns. */
#include "second.h"
#define N 5

static double f(const double *x) {
  double *t = malloc(N * sizeof *t), *u = calloc(N, sizeof *u);
  for (int i = 0; i < N; i++) t[i] = exp(0.5 * x[i]);
  for (int i = 0; i < N; i++)
    for (int j = 0; j <= i; j++) u[i] += t[j] * x[i] * t[i - j];
  double s = 0;
  for (int i = 0; i < N; i++) s += u[i] * t[N - 1 - i];
  free(t);
  free(u);
  return s;
}
SECOND(f, N)

int main(void) {
  double x[] = {0.9, 0.3, 0.4, -0.8, 0.6};
  CHECK_ENGINE(SECOND_CHECK(f, x, N));
  return check_done();
}
