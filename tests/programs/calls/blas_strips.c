/* Level 3 of BLAS and factorisations of matrices that have more rows than are worked on at a time, and as many as go to
 * the library; the sizes are not known before the program runs. */
// heavy: factorisations are much code
#include "check.h"
#include "parts/plain_lapack.h"

enum { N = 8, MOST = 40, ALL = MOST * MOST };
static volatile int more = 0;
static int order, flags;
#define FLAG(bit, no, yes) ((flags >> (bit)) & 1 ? (yes) : (no))
static double a[ALL], b[ALL], c[ALL];

static void fill(const double *x, double *to, int shift, double diagonal) {
  for (int i = 0; i < ALL; i++) to[i] = x[(i * 5 + shift) % N] * cos(i + shift) * 0.2 + (i % (MOST + 1) ? 0 : diagonal);
}
static double weighed(const double *v) {
  double s = 0;
  for (int i = 0; i < ALL; i++) s += v[i] * v[i] / (1 + i % 7) * 1e-2;
  return s;
}

static double symmetric(const double *x) {
  int n = 35 + more, k = 9 + more, uplo = FLAG(0, Lower, Upper), trans = FLAG(1, NoTrans, Trans);
  fill(x, a, 1, 0), fill(x, b, 2, 0), fill(x, c, 3, 1);
  cblas_dsyrk(order, uplo, trans, n, k, x[0], a, MOST, x[1], c, MOST);
  cblas_dsymm(order, FLAG(2, Left, Right), uplo, n, n, x[2], c, MOST, a, MOST, 0.5, b, MOST);
  cblas_dsymv(order, uplo, n, 0.5, c, MOST, b, 1, x[3], a, 2);
  cblas_dsyr(order, uplo, n, 0.1, a, 2, c, MOST);
  return weighed(a) + weighed(b) + weighed(c);
}
static double triangles(const double *x) {
  int n = 35 + more, m = 5 + more, uplo = FLAG(0, Lower, Upper), trans = FLAG(1, NoTrans, Trans), unit = FLAG(2, NonUnit, Unit);
  fill(x, a, 1, 2), fill(x, b, 2, 0);
  for (int i = 0; i < ALL; i++) a[i] *= i % (MOST + 1) ? 0.3 : 1;
  cblas_dtrsm(order, Left, uplo, trans, unit, n, m, x[0], a, MOST, b, MOST);
  cblas_dtrmm(order, Right, uplo, trans, unit, m, n, x[1], a, MOST, b, MOST);
  a[MOST] *= b[3];
  cblas_dtrsm(order, Right, uplo, trans, unit, m, n, 1.0, a, MOST, b, MOST);
  cblas_dtrmm(order, Left, uplo, trans, unit, n, m, 0.5, a, MOST, b, MOST);
  return weighed(a) + weighed(b);
}
static double cholesky(const double *x) {
  int n = 35 + more, two = 2, most = MOST, info, status;
  const char *uplo = FLAG(0, "L", "U");
  fill(x, a, 1, 3), fill(x, b, 2, 0);
  dpotrf_(uplo, &n, a, &most, &info);
  dpotrs_(uplo, &n, &two, a, &most, b, &most, &status);
  return weighed(a) + weighed(b) + info + status;
}
static double fails(const double *x) { /* in the second strip */
  fill(x, a, 1, 3);
  a[33 * (MOST + 1)] = -1;
  int info = LAPACKE_dpotrf(order, 'L', 35 + more, a, MOST);
  return info * a[MOST] * a[1] * a[MOST + 1];
}
static double general(const double *x) {
  int n = 36 + more, two = 2, most = MOST, info, pivots[MOST];
  fill(x, a, 1, 0), fill(x, b, 2, 0);
  for (int i = 0; i < n; i++) a[i * MOST + (i * 5 + 3) % n] += 2 + 0.02 * i;
  if (flags & 1) {
    dgetrf_(&n, &n, a, &most, pivots, &info);
    dgetrs_(FLAG(1, "N", "T"), &n, &two, a, &most, pivots, b, &most, &info);
  } else
    info = LAPACKE_dgesv(order, n, 2, a, MOST, pivots, b, MOST);
  return weighed(a) + weighed(b) + info;
}
static double oblong(const double *x) {
  int m = FLAG(0, 37, 33) + more, n = FLAG(0, 33, 37) + more, most = MOST, info, pivots[MOST];
  fill(x, a, 1, 0);
  for (int i = 0; i < 33; i++) a[i * MOST + (i * 5 + 3) % 33] += 2 + 0.02 * i;
  dgetrf_(&m, &n, a, &most, pivots, &info);
  return weighed(a) + info;
}
DERIVED(symmetric)
DERIVED(triangles)
DERIVED(cholesky)
DERIVED(fails)
DERIVED(general)
DERIVED(oblong)

int main(void) {
  double x[N];
  for (int i = 0; i < N; i++) x[i] = 0.6 + 0.4 * cos(1.7 * i) + 0.05 * i;
  for (order = RowMajor; order <= ColMajor; order++)
    for (flags = 0; flags < 8; flags++) {
      CHECK_DERIVED(symmetric, x);
      CHECK_DERIVED(triangles, x);
      if (flags < 4) CHECK_DERIVED(general, x);
      if (flags > 1) continue;
      CHECK_DERIVED(cholesky, x);
      CHECK_DERIVED(fails, x);
      CHECK_DERIVED(oblong, x);
    }
  return check_done();
}
