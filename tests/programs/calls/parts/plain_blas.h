/* A small BLAS that the compiler takes for someone else's: the functions are declared under their names and defined under
 * others, which the assembler makes the same symbols. Element by element, and every matrix through one function that reads
 * it, so that it shares nothing with the bodies that derivatives are made of. */
#ifndef PLAIN_BLAS_H
#define PLAIN_BLAS_H
#include <math.h>
#include <stdlib.h>

enum { RowMajor = 101, ColMajor = 102, NoTrans = 111, Trans = 112, Upper = 121, Lower = 122, NonUnit = 131, Unit = 132,
       Left = 141, Right = 142 };

#ifdef REFERENCE
#define LIBRARY(result, name, parameters) result name parameters
#else
#define LIBRARY(result, name, parameters)                                \
  extern result name parameters;                                         \
  __asm__(".globl " #name "\n.set " #name ", library_" #name);           \
  extern result library_##name parameters;                               \
  __attribute__((noinline, used)) result library_##name parameters
#endif
#define AT(v, i, n, inc) (v)[(inc) < 0 ? ((i) + 1 - (n)) * (inc) : (i) * (inc)]
#define IN(a, order, i, j, ld) (a)[(order) == RowMajor ? (i) * (ld) + (j) : (i) + (j) * (ld)]

/* op(A)(i, j); kind: 0 full, else symmetric (uplo) or triangular (uplo, diag) */
static double plain_full(const double *a, int order, int trans, int i, int j, int ld) {
  return trans == NoTrans ? IN(a, order, i, j, ld) : IN(a, order, j, i, ld);
}
static double plain_sym(const double *a, int order, int uplo, int i, int j, int ld) {
  int stored = uplo == Upper ? i <= j : i >= j;
  return stored ? IN(a, order, i, j, ld) : IN(a, order, j, i, ld);
}
static double plain_tri(const double *a, int order, int uplo, int trans, int diag, int i, int j, int ld) {
  int r = trans == NoTrans ? i : j, c = trans == NoTrans ? j : i;
  if (r == c) return diag == Unit ? 1 : IN(a, order, r, c, ld);
  return (uplo == Upper ? r < c : r > c) ? IN(a, order, r, c, ld) : 0;
}

LIBRARY(double, cblas_ddot, (int n, const double *x, int ix, const double *y, int iy)) {
  double s = 0;
  for (int i = 0; i < n; i++) s += AT(x, i, n, ix) * AT(y, i, n, iy);
  return s;
}
LIBRARY(float, cblas_sdot, (int n, const float *x, int ix, const float *y, int iy)) {
  float s = 0;
  for (int i = 0; i < n; i++) s += AT(x, i, n, ix) * AT(y, i, n, iy);
  return s;
}
LIBRARY(void, cblas_daxpy, (int n, double a, const double *x, int ix, double *y, int iy)) {
  for (int i = 0; i < n; i++) AT(y, i, n, iy) += a * AT(x, i, n, ix);
}
LIBRARY(void, cblas_dscal, (int n, double a, double *x, int ix)) {
  for (int i = 0; ix > 0 && i < n; i++) AT(x, i, n, ix) *= a;
}
LIBRARY(void, cblas_dcopy, (int n, const double *x, int ix, double *y, int iy)) {
  for (int i = 0; i < n; i++) AT(y, i, n, iy) = AT(x, i, n, ix);
}
LIBRARY(void, cblas_dswap, (int n, double *x, int ix, double *y, int iy)) {
  for (int i = 0; i < n; i++) {
    double t = AT(x, i, n, ix);
    AT(x, i, n, ix) = AT(y, i, n, iy);
    AT(y, i, n, iy) = t;
  }
}
LIBRARY(double, cblas_dnrm2, (int n, const double *x, int ix)) {
  double s = 0;
  for (int i = 0; i < n; i++) s = hypot(s, AT(x, i, n, ix));
  return s;
}
LIBRARY(double, cblas_dasum, (int n, const double *x, int ix)) {
  double s = 0;
  for (int i = 0; ix > 0 && i < n; i++) s += fabs(AT(x, i, n, ix));
  return s;
}
LIBRARY(size_t, cblas_idamax, (int n, const double *x, int ix)) {
  int best = 0;
  for (int i = 1; i < n; i++)
    if (fabs(AT(x, i, n, ix)) > fabs(AT(x, best, n, ix))) best = i;
  return best;
}
LIBRARY(void, cblas_drot, (int n, double *x, int ix, double *y, int iy, double c, double s)) {
  for (int i = 0; i < n; i++) {
    double a = AT(x, i, n, ix), b = AT(y, i, n, iy);
    AT(x, i, n, ix) = c * a + s * b;
    AT(y, i, n, iy) = c * b - s * a;
  }
}
LIBRARY(void, cblas_dgemv, (int order, int trans, int m, int n, double alpha, const double *a, int lda, const double *x, int ix,
                            double beta, double *y, int iy)) {
  int rows = trans == NoTrans ? m : n, columns = trans == NoTrans ? n : m;
  for (int i = 0; i < rows; i++) {
    double s = 0;
    for (int j = 0; j < columns; j++) s += plain_full(a, order, trans, i, j, lda) * AT(x, j, columns, ix);
    AT(y, i, rows, iy) = alpha * s + (beta == 0 ? 0 : beta * AT(y, i, rows, iy));
  }
}
LIBRARY(void, cblas_dger, (int order, int m, int n, double alpha, const double *x, int ix, const double *y, int iy, double *a,
                           int lda)) {
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) IN(a, order, i, j, lda) += alpha * AT(x, i, m, ix) * AT(y, j, n, iy);
}
LIBRARY(void, cblas_dsymv, (int order, int uplo, int n, double alpha, const double *a, int lda, const double *x, int ix,
                            double beta, double *y, int iy)) {
  for (int i = 0; i < n; i++) {
    double s = 0;
    for (int j = 0; j < n; j++) s += plain_sym(a, order, uplo, i, j, lda) * AT(x, j, n, ix);
    AT(y, i, n, iy) = alpha * s + (beta == 0 ? 0 : beta * AT(y, i, n, iy));
  }
}
LIBRARY(void, cblas_dsyr, (int order, int uplo, int n, double alpha, const double *x, int ix, double *a, int lda)) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      if (uplo == Upper ? i <= j : i >= j) IN(a, order, i, j, lda) += alpha * AT(x, i, n, ix) * AT(x, j, n, ix);
}
static int plain_calls; /* of products */
LIBRARY(void, cblas_dgemm, (int order, int ta, int tb, int m, int n, int k, double alpha, const double *a, int lda,
                            const double *b, int ldb, double beta, double *c, int ldc)) {
  plain_calls++;
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      double s = 0;
      for (int p = 0; p < k; p++) s += plain_full(a, order, ta, i, p, lda) * plain_full(b, order, tb, p, j, ldb);
      IN(c, order, i, j, ldc) = alpha * s + (beta == 0 ? 0 : beta * IN(c, order, i, j, ldc));
    }
}
LIBRARY(void, cblas_dsymm, (int order, int side, int uplo, int m, int n, double alpha, const double *a, int lda,
                            const double *b, int ldb, double beta, double *c, int ldc)) {
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      double s = 0;
      for (int p = 0; p < (side == Left ? m : n); p++)
        s += side == Left ? plain_sym(a, order, uplo, i, p, lda) * IN(b, order, p, j, ldb)
                          : IN(b, order, i, p, ldb) * plain_sym(a, order, uplo, p, j, lda);
      IN(c, order, i, j, ldc) = alpha * s + (beta == 0 ? 0 : beta * IN(c, order, i, j, ldc));
    }
}
LIBRARY(void, cblas_dsyrk, (int order, int uplo, int trans, int n, int k, double alpha, const double *a, int lda, double beta,
                            double *c, int ldc)) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      if (uplo == Upper ? i > j : i < j) continue;
      double s = 0;
      for (int p = 0; p < k; p++) s += plain_full(a, order, trans, i, p, lda) * plain_full(a, order, trans, j, p, lda);
      IN(c, order, i, j, ldc) = alpha * s + (beta == 0 ? 0 : beta * IN(c, order, i, j, ldc));
    }
}
LIBRARY(void, cblas_dtrmm, (int order, int side, int uplo, int trans, int diag, int m, int n, double alpha, const double *a,
                            int lda, double *b, int ldb)) {
  double old[1600];
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) old[i * n + j] = IN(b, order, i, j, ldb);
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      double s = 0;
      for (int p = 0; p < (side == Left ? m : n); p++)
        s += side == Left ? plain_tri(a, order, uplo, trans, diag, i, p, lda) * old[p * n + j]
                          : old[i * n + p] * plain_tri(a, order, uplo, trans, diag, p, j, lda);
      IN(b, order, i, j, ldb) = alpha * s;
    }
}
/* The triangular system by fixed-point sweeps: exact after as many as there are rows. */
LIBRARY(void, cblas_dtrsm, (int order, int side, int uplo, int trans, int diag, int m, int n, double alpha, const double *a,
                            int lda, double *b, int ldb)) {
  double right[1600], x[1600] = {0}, next[1600];
  int size = side == Left ? m : n;
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) right[i * n + j] = alpha * IN(b, order, i, j, ldb);
  for (int sweep = 0; sweep < size; sweep++) {
    for (int i = 0; i < m; i++)
      for (int j = 0; j < n; j++) {
        int own = side == Left ? i : j;
        double s = right[i * n + j];
        for (int p = 0; p < size; p++)
          if (p != own)
            s -= side == Left ? plain_tri(a, order, uplo, trans, diag, i, p, lda) * x[p * n + j]
                              : x[i * n + p] * plain_tri(a, order, uplo, trans, diag, p, j, lda);
        next[i * n + j] = s / plain_tri(a, order, uplo, trans, diag, own, own, lda);
      }
    for (int i = 0; i < m * n; i++) x[i] = next[i];
  }
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) IN(b, order, i, j, ldb) = x[i * n + j];
}
LIBRARY(void, dgemm_, (const char *ta, const char *tb, const int *m, const int *n, const int *k, const double *alpha,
                       const double *a, const int *lda, const double *b, const int *ldb, const double *beta, double *c,
                       const int *ldc)) {
  cblas_dgemm(ColMajor, *ta == 'N' ? NoTrans : Trans, *tb == 'N' ? NoTrans : Trans, *m, *n, *k, *alpha, a, *lda, b, *ldb, *beta,
              c, *ldc);
}
LIBRARY(double, ddot_, (const int *n, const double *x, const int *ix, const double *y, const int *iy)) {
  return cblas_ddot(*n, x, *ix, y, *iy);
}
LIBRARY(void, dtrsv_, (const char *uplo, const char *trans, const char *diag, const int *n, const double *a, const int *lda,
                       double *x, const int *ix)) {
  cblas_dtrsm(ColMajor, Left, *uplo == 'L' ? Lower : Upper, *trans == 'n' ? NoTrans : Trans, *diag == 'U' ? Unit : NonUnit, *n, 1,
              1, a, *lda, x, *n); /* of one vector without gaps */
}
LIBRARY(void, dtrmv_, (const char *uplo, const char *trans, const char *diag, const int *n, const double *a, const int *lda,
                       double *x, const int *ix)) {
  cblas_dtrmm(ColMajor, Left, *uplo == 'L' ? Lower : Upper, *trans == 'n' ? NoTrans : Trans, *diag == 'U' ? Unit : NonUnit, *n, 1,
              1, a, *lda, x, *n);
}
#endif
