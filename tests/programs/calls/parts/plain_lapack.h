/* A small LAPACK that the compiler takes for someone else's (see plain_blas.h): by Crout's and the outer-product forms, so
 * that it shares nothing with the bodies that derivatives are made of. */
#ifndef PLAIN_LAPACK_H
#define PLAIN_LAPACK_H
#include "plain_blas.h"
#define A_(i, j) a[(i) + (j) * *lda]
#define B_(i, j) b[(i) + (j) * *ldb]

LIBRARY(void, dpotrf_, (const char *uplo, const int *n, double *a, const int *lda, int *info)) {
  int low = *uplo == 'L' || *uplo == 'l';
  *info = 0;
  for (int k = 0; k < *n; k++) {
    if (!(A_(k, k) > 0)) {
      *info = k + 1;
      return;
    }
    double d = A_(k, k) = sqrt(A_(k, k));
#define E_(i, j) (*(low ? &A_(i, j) : &A_(j, i)))
    for (int i = k + 1; i < *n; i++) E_(i, k) /= d;
    for (int j = k + 1; j < *n; j++)
      for (int i = j; i < *n; i++) E_(i, j) -= E_(i, k) * E_(j, k);
  }
}
LIBRARY(void, dpotrs_, (const char *uplo, const int *n, const int *m, const double *a, const int *lda, double *b,
                        const int *ldb, int *info)) {
  int low = *uplo == 'L' || *uplo == 'l';
  *info = 0;
  for (int c = 0; c < *m; c++) {
    for (int i = 0; i < *n; i++) {
      B_(i, c) /= E_(i, i);
      for (int k = i + 1; k < *n; k++) B_(k, c) -= E_(k, i) * B_(i, c);
    }
    for (int i = *n - 1; i >= 0; i--) {
      B_(i, c) /= E_(i, i);
      for (int k = 0; k < i; k++) B_(k, c) -= E_(i, k) * B_(i, c);
    }
  }
}
LIBRARY(void, dtrtrs_, (const char *uplo, const char *trans, const char *diag, const int *n, const int *m, const double *a,
                        const int *lda, double *b, const int *ldb, int *info)) {
  int upper = *uplo == 'U', t = *trans != 'N', one = *diag == 'U';
  *info = 0;
  for (int i = 0; i < *n; i++)
    if (!one && A_(i, i) == 0) {
      *info = i + 1;
      return;
    }
  for (int c = 0; c < *m; c++)
    for (int s = 0; s < *n; s++) {
      int i = upper == t ? s : *n - 1 - s;
      if (!one) B_(i, c) /= A_(i, i);
      for (int k = 0; k < *n; k++)
        if (upper == t ? k > i : k < i) B_(k, c) -= (t ? A_(i, k) : A_(k, i)) * B_(i, c);
    }
}
LIBRARY(void, dgetrf_, (const int *m, const int *n, double *a, const int *lda, int *ipiv, int *info)) {
  *info = 0;
  for (int j = 0; j < *n; j++) {
    for (int k = 0; k < j && k < *m; k++) {
      int p = ipiv[k] - 1;
      double v = A_(k, j);
      A_(k, j) = A_(p, j), A_(p, j) = v;
    }
    for (int i = 1; i < *m; i++)
      for (int k = 0; k < (i < j ? i : j); k++) A_(i, j) -= A_(i, k) * A_(k, j);
    if (j >= *m) continue;
    int p = j;
    for (int i = j + 1; i < *m; i++)
      if (fabs(A_(i, j)) > fabs(A_(p, j))) p = i;
    ipiv[j] = p + 1;
    if (A_(p, j) == 0) {
      if (!*info) *info = j + 1;
      continue;
    }
    for (int k = 0; k <= j; k++) {
      double v = A_(j, k);
      A_(j, k) = A_(p, k), A_(p, k) = v;
    }
    for (int i = j + 1; i < *m; i++) A_(i, j) /= A_(j, j);
  }
}
LIBRARY(void, dgetrs_, (const char *trans, const int *n, const int *m, const double *a, const int *lda, const int *ipiv,
                        double *b, const int *ldb, int *info)) {
  *info = 0;
  for (int c = 0; c < *m; c++) {
    int t = *trans != 'N';
    for (int i = 0; i < *n && !t; i++) {
      double v = B_(i, c);
      B_(i, c) = B_(ipiv[i] - 1, c), B_(ipiv[i] - 1, c) = v;
    }
    for (int i = 0; i < *n; i++) {
      for (int k = 0; k < i; k++) B_(i, c) -= (t ? A_(k, i) : A_(i, k)) * B_(k, c);
      if (t) B_(i, c) /= A_(i, i);
    }
    for (int i = *n - 1; i >= 0; i--) {
      for (int k = i + 1; k < *n; k++) B_(i, c) -= (t ? A_(k, i) : A_(i, k)) * B_(k, c);
      if (!t) B_(i, c) /= A_(i, i);
    }
    for (int i = *n - 1; i >= 0 && t; i--) {
      double v = B_(i, c);
      B_(i, c) = B_(ipiv[i] - 1, c), B_(ipiv[i] - 1, c) = v;
    }
  }
}
LIBRARY(void, dgesv_, (const int *n, const int *m, double *a, const int *lda, int *ipiv, double *b, const int *ldb,
                       int *info)) {
  dgetrf_(n, n, a, lda, ipiv, info);
  if (!*info) dgetrs_("N", n, m, a, lda, ipiv, b, ldb, info);
}
LIBRARY(int, LAPACKE_dgesv, (int order, int n, int m, double *a, int lda, int *ipiv, double *b, int ldb)) {
  double c[1600], d[1600];
  int info;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) c[i + n * j] = IN(a, order, i, j, lda);
    for (int j = 0; j < m; j++) d[i + n * j] = IN(b, order, i, j, ldb);
  }
  dgesv_(&n, &m, c, &n, ipiv, d, &n, &info);
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) IN(a, order, i, j, lda) = c[i + n * j];
    for (int j = 0; j < m; j++) IN(b, order, i, j, ldb) = d[i + n * j];
  }
  return info;
}
LIBRARY(int, LAPACKE_dpotrf, (int order, char uplo, int n, double *a, int lda)) {
  char other = order == RowMajor ? (uplo == 'L' ? 'U' : 'L') : uplo;
  int info;
  dpotrf_(&other, &n, a, &lda, &info);
  return info;
}
#endif
