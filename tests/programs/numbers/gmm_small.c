/* A Gaussian mixture log-likelihood in the layout of ADBench, small. */
#include "check.h"

#define DIM 2
#define K 3
#define POINTS 4

static const double data[POINTS * DIM] = {0.3, -0.7, 1.2, 0.4, -0.9, 0.8, 0.1, 1.5};

static double logsumexp(const double *x, int n) {
  double m = x[0], s = 0;
  for (int i = 1; i < n; i++)
    if (x[i] > m) m = x[i];
  for (int i = 0; i < n; i++) s += exp(x[i] - m);
  return m + log(s);
}

static double gmm(int d, int k, int n, const double *alphas, const double *means, const double *icf, const double *x) {
  int size = d * (d + 1) / 2;
  double *diagonals = malloc(d * k * sizeof(double)), *sums = malloc(k * sizeof(double));
  double *centered = malloc(d * sizeof(double)), *product = malloc(d * sizeof(double)), *terms = malloc(k * sizeof(double));
  for (int c = 0; c < k; c++) {
    sums[c] = 0;
    for (int i = 0; i < d; i++) {
      sums[c] += icf[c * size + i];
      diagonals[c * d + i] = exp(icf[c * size + i]);
    }
  }
  double total = 0;
  for (int p = 0; p < n; p++) {
    for (int c = 0; c < k; c++) {
      for (int i = 0; i < d; i++) centered[i] = x[p * d + i] - means[c * d + i];
      int at = c * size + d;
      for (int i = 0; i < d; i++) product[i] = diagonals[c * d + i] * centered[i];
      for (int i = 0; i < d; i++)
        for (int j = i + 1; j < d; j++) product[j] += icf[at++] * centered[i];
      double square = 0;
      for (int i = 0; i < d; i++) square += product[i] * product[i];
      terms[c] = alphas[c] + sums[c] - 0.5 * square;
    }
    total += logsumexp(terms, k);
  }
  total -= n * logsumexp(alphas, k);
  free(diagonals);
  free(sums);
  free(centered);
  free(product);
  free(terms);
  return total;
}

#define INPUTS (K + K * DIM + K * 3)
static double objective(const double *x) { return gmm(DIM, K, POINTS, x, x + K, x + K + K * DIM, data); }
static void gradient(const double *x, double *g) {
  __enzyme_autodiff((void *)gmm, DIM, K, POINTS, enzyme_dup, x, g, enzyme_dup, x + K, g + K, enzyme_dup, x + K + K * DIM,
                    g + K + K * DIM, enzyme_const, data);
}
static double tangent(const double *x, const double *v) {
  return __enzyme_fwddiff((void *)gmm, DIM, K, POINTS, enzyme_dup, x, v, enzyme_dup, x + K, v + K, enzyme_dup,
                          x + K + K * DIM, v + K + K * DIM, enzyme_const, data);
}

int main(void) {
  double x[INPUTS];
  for (int i = 0; i < INPUTS; i++) x[i] = sin(1.1 * i + 0.4);
  CHECK(objective, gradient, tangent, x);
  return check_done();
}
