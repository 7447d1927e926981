/* Programs that leave matrices to BLAS and LAPACK, by the names that Fortran gives them. Each is
 * `double f(double *x, double *w, int *ind, int n)`: of x the gradient is asked, w is room to work in. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "everyday.h"

#ifdef __cplusplus
extern "C" {
#endif
void dgemm_(const char *, const char *, const int *, const int *, const int *, const double *, const double *, const int *,
            const double *, const int *, const double *, double *, const int *);
void dgemv_(const char *, const int *, const int *, const double *, const double *, const int *, const double *, const int *,
            const double *, double *, const int *);
void dsyrk_(const char *, const char *, const int *, const int *, const double *, const double *, const int *, const double *,
            double *, const int *);
void dtrsm_(const char *, const char *, const char *, const char *, const int *, const int *, const double *, const double *,
            const int *, double *, const int *);
void dpotrf_(const char *, const int *, double *, const int *, int *);
void dpotrs_(const char *, const int *, const int *, const double *, const int *, double *, const int *, int *);
void dgesv_(const int *, const int *, double *, const int *, int *, double *, const int *, int *);
#ifdef __cplusplus
}
#endif

static const double one = 1, zero = 0;
static const int step = 1;
static double squares(const double *v, long count) {
  double s = 0;
  for (long i = 0; i < count; i++) s += v[i] * v[i];
  return s;
}

/* The squares of A B. */
FUNCTION product(double *x, double *w, int *ind, int n) {
  dgemm_("N", "N", &n, &n, &n, &one, x, &n, x + (long)n * n, &n, &zero, w, &n);
  return squares(w, (long)n * n);
}
/* Two layers of a network, for as many inputs as each has neurons. */
FUNCTION layers(double *x, double *w, int *ind, int n) {
  long all = (long)n * n;
  dgemm_("N", "N", &n, &n, &n, &one, x, &n, w, &n, &zero, w + all, &n);
  for (long i = 0; i < all; i++) w[all + i] = w[all + i] > 0 ? w[all + i] : 0.1 * w[all + i];
  dgemm_("N", "N", &n, &n, &n, &one, x + all, &n, w + all, &n, &zero, w + 2 * all, &n);
  return squares(w + 2 * all, all);
}
/* A recurrent layer, 20 steps of one vector. */
FUNCTION recurrent(double *x, double *w, int *ind, int n) {
  double *h = w, *next = w + n;
  for (int t = 0; t < 20; t++) {
    dgemv_("N", &n, &n, &one, x, &n, h, &step, &zero, next, &step);
    for (int i = 0; i < n; i++) h[i] = tanh(next[i]);
  }
  return squares(h, n);
}
/* The squares of one triangle of A A'. */
FUNCTION gram(double *x, double *w, int *ind, int n) {
  dsyrk_("L", "N", &n, &n, &one, x, &n, &zero, w, &n);
  double s = 0;
  for (int j = 0; j < n; j++) s += squares(w + (long)j * n + j, n - j);
  return s;
}
/* The squares of what a triangular matrix is multiplied with to give another matrix. */
FUNCTION triangle(double *x, double *w, int *ind, int n) {
  memcpy(w, x + (long)n * n, (long)n * n * sizeof(double));
  dtrsm_("L", "L", "N", "N", &n, &n, &one, x, &n, w, &n);
  return squares(w, (long)n * n);
}
/* A Gaussian process: the likelihood of numbers at places, by the places and the numbers. */
FUNCTION process(double *x, double *w, int *ind, int n) {
  const double *place = x, *number = x + n;
  double *u = w + (long)n * n, s = 0;
  int info;
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++) {
      double apart = place[i] - place[j];
      w[i + (long)j * n] = exp(-apart * apart) + (i == j);
    }
  memcpy(u, number, n * sizeof(double));
  dpotrf_("L", &n, w, &n, &info);
  dpotrs_("L", &n, &step, w, &n, u, &n, &info);
  for (int i = 0; i < n; i++) s += log(w[i + (long)i * n]) + 0.5 * u[i] * number[i];
  return s + info;
}
/* The squares of the solution of linear equations. */
FUNCTION equations(double *x, double *w, int *ind, int n) {
  double *a = w, *u = w + (long)n * n;
  int *pivots = (int *)malloc(n * sizeof(int)), info;
  memcpy(a, x, (long)n * n * sizeof(double));
  memcpy(u, x + (long)n * n, n * sizeof(double));
  dgesv_(&n, &step, a, &n, pivots, u, &n, &info);
  free(pivots);
  return squares(u, n) + info;
}

#define EACH(do) \
  do(product, 2L * n * n, 1L * n * n, 1) do(layers, 2L * n * n, 3L * n * n, 1) do(recurrent, 1L * n * n, 2 * n, 1) \
  do(gram, 1L * n * n, 1L * n * n, 1) do(triangle, 2L * n * n, 1L * n * n, 1) \
  do(process, 2 * n, 1L * n * n + n, 1) do(equations, 1L * n * n + n, 1L * n * n + n, 1)

static void prepare(const char *name, int n, double *x0, double *w0, int *ind) {
  for (long i = 0; i < n; i++)
    if (!strcmp(name, "triangle") || !strcmp(name, "equations")) x0[i * (n + 1)] += 2 + n / 8.0;
  if (!strcmp(name, "process")) for (int i = 0; i < n; i++) x0[i] *= n / 4.0;
  if (!strcmp(name, "recurrent")) for (long i = 0; i < (long)n * n; i++) x0[i] *= 3 / sqrt(n);
}

MEASURE
