/* Levels 2 and 3 of a BLAS that the program does not define: both orders, all flags, betas of zero over garbage. */
// heavy: products of matrices are much code
#include "check.h"
#include "parts/plain_blas.h"

static int order, flags;
#define FLAG(bit, no, yes) ((flags >> (bit)) & 1 ? (yes) : (no))

static double level_two(const double *x) {
  double a[12], y[4] = {NAN, NAN, NAN, NAN}, z[3] = {x[3], x[1], x[2]}, s = 0;
  int trans = FLAG(0, NoTrans, Trans), uplo = FLAG(1, Lower, Upper);
  cblas_dcopy(12, x, 1, a, 1);
  cblas_dgemv(order, trans, 3, 3, x[12], a, 4, x + 3, 2, 0.0, y, 1);
  cblas_dgemv(order, trans, 3, 3, 0.5, a, 4, y, 1, x[13], z, -1);
  cblas_dger(order, 3, 2, x[1], x, 1, y, 2, a, 4);
  cblas_dsymv(order, uplo, 3, x[2], a, 4, x + 4, -1, 0.5, y, 1);
  cblas_dsyr(order, uplo, 3, x[5], y, 1, a, 4);
  for (int i = 0; i < 12; i++) s += (i + 1) * a[i];
  for (int i = 0; i < 3; i++) s += (i + 1) * z[i] * z[i];
  return s + cblas_ddot(3, y, 1, y, 1);
}
DERIVED(level_two)

static double level_three(const double *x) {
  double c[12], d[12], s = 0;
  int ta = FLAG(0, NoTrans, Trans), tb = FLAG(1, NoTrans, Trans), uplo = FLAG(2, Lower, Upper), side = FLAG(3, Left, Right),
      diag = FLAG(4, NonUnit, Unit);
  for (int i = 0; i < 12; i++) c[i] = NAN, d[i] = x[i] * x[i];
  cblas_dgemm(order, ta, tb, 3, 3, 3, x[12], x, 4, x + 2, 3, 0.0, c, 4);
  cblas_dgemm(order, tb, ta, 3, 3, 2, 0.5, c, 4, x, 4, x[13], d, 4);
  cblas_dsyrk(order, uplo, ta, 3, 2, x[0], x + 1, 4, x[13], d, 4);
  cblas_dsymm(order, side, uplo, 3, 3, x[1], d, 4, x, 3, 0.25, c, 4);
  cblas_dtrmm(order, side, uplo, ta, diag, 3, 3, x[4], x, 4, c, 4);
  for (int i = 0; i < 3; i++) d[i * 5] += 4;
  cblas_dtrsm(order, side, uplo, tb, diag, 3, 3, x[5], d, 4, c, 4);
  for (int j = 0; j < 3; j++) s += cblas_ddot(3, c + 4 * j, 1, x + j, 1);
  return s;
}
DERIVED(level_three)

static double fortran(const double *x) {
  double c[9], v[3] = {x[0], x[1], x[2]}, alpha = x[3], beta = 0, a[9];
  int three = 3, one = 1;
  for (int i = 0; i < 9; i++) a[i] = x[i] + (i % 4 == 0 ? 3 : 0);
  dgemm_(flags & 1 ? "T" : "N", "N", &three, &three, &three, &alpha, a, &three, x + 4, &three, &beta, c, &three);
  dtrsv_(flags & 2 ? "U" : "L", flags & 1 ? "t" : "n", "N", &three, a, &three, v, &one);
  dtrmv_("L", "n", flags & 1 ? "U" : "n", &three, c, &three, v, &one);
  return ddot_(&three, v, &one, v, &one);
}
DERIVED(fortran)

int main(void) {
  double x[14];
  for (int i = 0; i < 14; i++) x[i] = 0.4 + 0.3 * cos(1.7 * i) + 0.05 * i;
  for (order = RowMajor; order <= ColMajor; order++)
    for (flags = 0; flags < 32; flags += 1 + flags % 3) {
      if (flags < 4) {
        CHECK_DERIVED(level_two, x);
        CHECK_DERIVED(fortran, x);
      }
      CHECK_DERIVED(level_three, x);
    }
  return check_done();
}
