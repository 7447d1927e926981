/* Factorisations and solves of a LAPACK that the program does not define, by columns and by rows, singular ones too. */
// heavy: factorisations are much code
#include "check.h"
#include "parts/plain_lapack.h"

static int flags, three = 3, two = 2, four = 4, one = 1;
#define FLAG(bit, no, yes) ((flags >> (bit)) & 1 ? (yes) : (no))
#define WEIGHTED(v, n) \
  for (int i = 0; i < (n); i++) s += (1 + 0.3 * i) * (v)[i] * (v)[i]

static double cholesky(const double *x) {
  double a[12], b[8], s = 0;
  const char *uplo = FLAG(0, "L", "U");
  int info, status;
  for (int i = 0; i < 12; i++) a[i] = x[i] * 0.3 + (i % 5 == 0 ? 3 : 0);
  for (int i = 0; i < 8; i++) b[i] = x[i + 3] * x[i];
  dpotrf_(uplo, &three, a, &four, &info);
  dpotrs_(uplo, &three, &two, a, &four, b, &four, &status);
  WEIGHTED(b, 8);
  return s + a[0] * a[5] * a[10] + info + status;
}
static double indefinite(const double *x) {
  double a[9], s = 0;
  for (int i = 0; i < 9; i++) a[i] = x[i] * 0.3 + (i == 0 ? 3 : 0);
  int info = LAPACKE_dpotrf(FLAG(0, RowMajor, ColMajor), 'L', 3, a, 3);
  if (info != 2) return 1e6 * info;
  return a[0] * a[FLAG(0, 3, 1)];
}
static double triangular(const double *x) {
  double a[12], b[8], s = 0;
  int info;
  for (int i = 0; i < 12; i++) a[i] = x[i] * 0.3 + (i % 5 == 0 ? 3 : 0);
  for (int i = 0; i < 8; i++) b[i] = x[i + 3] * x[i];
  dtrtrs_(FLAG(0, "L", "U"), FLAG(1, "N", "T"), FLAG(2, "N", "U"), &three, &two, a, &four, b, &four, &info);
  if (flags & 1) a[5] = 0, dtrtrs_("L", "N", FLAG(2, "N", "U"), &three, &one, a, &four, b, &four, &info);
  WEIGHTED(b, 8);
  return s * (1 + info);
}
static double general(const double *x) {
  double a[12], b[8], s = 0;
  int pivots[3], info;
  for (int i = 0; i < 12; i++) a[i] = x[i] * x[i] - (i % 5 ? 0 : 0.2) + (i == 6 || i == 1 ? 2 : 0);
  for (int i = 0; i < 8; i++) b[i] = x[i + 3] * x[i];
  if (flags & 2) a[4] = a[5] = a[6] = 0;
  if (flags & 1) {
    dgetrf_(&three, &three, a, &four, pivots, &info);
    if (!info) dgetrs_(FLAG(2, "N", "T"), &three, &two, a, &four, pivots, b, &four, &info);
  } else
    dgesv_(&three, &two, a, &four, pivots, b, &four, &info);
  WEIGHTED(b, 8);
  WEIGHTED(a, 12);
  return s * (1 + info);
}
static double oblong(const double *x) {
  double a[12], s = 0;
  int pivots[3], info;
  for (int i = 0; i < 12; i++) a[i] = x[i] * (1 + (i * 7) % 5);
  dgetrf_(FLAG(0, &three, &four), FLAG(0, &four, &three), a, FLAG(0, &three, &four), pivots, &info);
  WEIGHTED(a, 12);
  return s + info;
}
static double rows(const double *x) {
  double a[9], b[6], s = 0;
  int pivots[3];
  for (int i = 0; i < 9; i++) a[i] = x[i] + (i == 1 || i == 5 || i == 6 ? 2 : 0);
  for (int i = 0; i < 6; i++) b[i] = x[i] * x[i + 1];
  int info = LAPACKE_dgesv(FLAG(0, RowMajor, ColMajor), 3, 2, a, 3, pivots, b, FLAG(0, 2, 3));
  WEIGHTED(b, 6);
  WEIGHTED(a, 9);
  return s + info;
}
DERIVED(cholesky)
DERIVED(indefinite)
DERIVED(triangular)
DERIVED(general)
DERIVED(oblong)
DERIVED(rows)

int main(void) {
  double x[12];
  for (int i = 0; i < 12; i++) x[i] = 0.6 + 0.4 * cos(1.7 * i) + 0.05 * i;
  for (flags = 0; flags < 8; flags++) {
    CHECK_DERIVED(triangular, x);
    CHECK_DERIVED(general, x);
    if (flags > 1) continue;
    CHECK_DERIVED(cholesky, x);
    CHECK_DERIVED(oblong, x);
    CHECK_DERIVED(rows, x);
    x[4] = -2;
    CHECK_DERIVED(indefinite, x);
    x[4] = 0.6 + 0.4 * cos(6.8) + 0.2;
  }
  return check_done();
}
