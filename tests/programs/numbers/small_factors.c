/* A mixture whose components are far apart: what a point does not belong to has a weight of nothing, or of a subnormal,
 * or of something between that and 1. Adjoints of components are sums of such weights times numbers of every size. */
#include "check.h"

#define D 9
#define K 6
#define N 37

static double points[N][D];

static double mixture(const double *m, const double *q, int n, int k, int d) {
  double *c = malloc(sizeof(double) * d), *y = malloc(sizeof(double) * d), *term = malloc(sizeof(double) * k), s = 0;
  for (int i = 0; i < n; i++) {
    for (int l = 0; l < k; l++) {
      double square = 0;
      for (int j = 0; j < d; j++)
        c[j] = points[i][j] - m[l * d + j];
      for (int j = 0; j < d; j++)
        y[j] = q[j] * c[j];
      for (int j = 0; j < d; j++)
        for (int h = j + 1; h < d; h++)
          y[h] += q[d + j] * c[j];
      for (int j = 0; j < d; j++)
        square += y[j] * y[j];
      term[l] = -0.5 * square;
    }
    double largest = term[0], r = 0;
    for (int l = 1; l < k; l++)
      if (largest < term[l])
        largest = term[l];
    for (int l = 0; l < k; l++)
      r += exp(term[l] - largest);
    s += log(r) + largest;
  }
  free(c);
  free(y);
  free(term);
  return s;
}

static double objective(const double *x) { return mixture(x, x + K * D, N, K, D); }
static void gradient(const double *x, double *g) {
  __enzyme_autodiff((void *)mixture, x, g, x + K * D, g + K * D, N, K, D);
}
static double tangent(const double *x, const double *v) {
  return __enzyme_fwddiff((void *)mixture, x, v, x + K * D, v + K * D, N, K, D);
}

int main(void) {
  double x[K * D + 2 * D];
  for (int l = 0; l < K; l++)
    for (int j = 0; j < D; j++)
      x[l * D + j] = l * 2.7 + 0.1 * sin(l + 3.0 * j); /* weights of exp(-33 l^2), of exp(-820) for the fifth */
  for (int j = 0; j < 2 * D; j++)
    x[K * D + j] = j < D ? 1 + 0.01 * j : 0.02 * (j - D) - 0.05;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < D; j++)
      points[i][j] = i % K * 2.7 + 0.2 * cos(i + 2.0 * j);
  CHECK(objective, gradient, tangent, x);
  return check_done();
}
