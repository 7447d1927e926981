/* The log determinant by Cholesky's factorisation, in place, with a triangular nest. */
#include "second.h"
#define N 4

static double f(const double *x) {
  double a[N][N];
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      a[i][j] = i == j ? 3.0 : 0;
      for (int k = 0; k < N; k++) a[i][j] += x[i * N + k] * x[j * N + k];
    }
  double sum = 0;
  for (int j = 0; j < N; j++) {
    for (int k = 0; k < j; k++)
      for (int i = j; i < N; i++) a[i][j] -= a[i][k] * a[j][k];
    double d = sqrt(a[j][j]);
    for (int i = j; i < N; i++) a[i][j] /= d;
    sum += 2 * log(a[j][j]);
  }
  return sum;
}
SECOND(f, N * N)

int main(void) {
  double x[N * N];
  for (int i = 0; i < N * N; i++) x[i] = sin(1.0 + i * 1.7);
  CHECK_ENGINE(SECOND_CHECK(f, x, N * N));
  return check_done();
}
