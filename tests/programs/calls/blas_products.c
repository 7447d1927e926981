/* Products of matrices whose sizes nobody knows before the program runs, small and large, of what is overwritten later,
 * of a matrix with itself, of constants, of parts of one array, in loops and with factors that have derivatives. */
// heavy: each function is made several times, with products of all kinds
#include "check.h"
#include "parts/plain_blas.h"

enum { N = 10, MOST = 20 };
static volatile int more = 0;
static int order, flags;
#define FLAG(bit, no, yes) ((flags >> (bit)) & 1 ? (yes) : (no))

static void fill(const double *x, double *a, int count, int shift) {
  for (int i = 0; i < count; i++) a[i] = x[(i * 7 + shift) % N] * cos(i + shift) + 0.1 * sin(3.0 * i);
}
static double weighed(const double *a, int count) {
  double s = 0;
  for (int i = 0; i < count; i++) s += a[i] * a[i] / (1 + i % 5);
  return s;
}

/* As many multiplications as go to the library, and fewer; factors that are numbers with derivatives. */
static double sizes(const double *x) {
  static double a[MOST * MOST], b[MOST * MOST], c[MOST * MOST];
  double s = 0;
  for (int large = 0; large < 2; large++) {
    int m = (large ? 17 : 3) + more, n = (large ? 16 : 5) + more, k = (large ? 18 : 2) + more;
    int ta = FLAG(0, NoTrans, Trans), tb = FLAG(1, NoTrans, Trans);
    fill(x, a, MOST * MOST, 1), fill(x, b, MOST * MOST, 2), fill(x, c, MOST * MOST, 3);
    cblas_dgemm(order, ta, tb, m, n, k, x[0] * x[1], a, MOST, b, MOST, x[2], c, MOST);
    s += weighed(c, MOST * MOST) * 1e-2;
  }
  return s;
}
DERIVED(sizes)

/* What is multiplied is overwritten, by what comes of it. */
static double states(const double *x) {
  int n = 5 + more, steps = 3 + more;
  double w[25], h[25], t[25];
  fill(x, w, n * n, 1), fill(x, h, n * n, 4);
  for (int step = 0; step < steps; step++) {
    cblas_dgemm(order, NoTrans, FLAG(0, NoTrans, Trans), n, n, n, 0.5, w, n, h, n, 0.0, t, n);
    for (int i = 0; i < n * n; i++) h[i] = sin(t[i]) + x[i % N];
    if (step % 2) w[step] *= h[step];
  }
  return weighed(h, n * n) + w[1];
}
DERIVED(states)

/* A matrix with itself; the shadows are one, too. */
static double itself(const double *x) {
  int n = 4 + more;
  double *a = malloc(16 * sizeof *a), c[16];
  fill(x, a, n * n, 1);
  cblas_dgemm(order, Trans, NoTrans, n, n, n, 1.0, a, n, a, n, 0.0, c, n);
  cblas_dgemm(order, NoTrans, NoTrans, n, n, n, x[3], a, n, a, n, 1.0, c, n);
  a[0] = c[3];
  cblas_dgemv(order, NoTrans, n, n, 1.0, a, n, a + 4, 1, 0.5, c, 1);
  free(a);
  return weighed(c, n * n);
}
DERIVED(itself)

/* Blocks of one array, as in a factorisation; one factor is constant. */
static double blocks(const double *x) {
  static const double fixed[6] = {1, -0.5, 0.25, 2, -1, 0.5};
  double a[64];
  int two = 2 + more, three = 3 + more;
  fill(x, a, 64, 5);
  for (int at = 0; at < 2; at++) {
    cblas_dgemm(order, NoTrans, Trans, three, three, two, -1.0, a + at, 8, a + 4 - at, 8, 1.0, a + 36, 8);
    cblas_dgemm(order, NoTrans, NoTrans, two, three, three, 1.0, fixed, 3 - (order == ColMajor), a + 36, 8, 0.0, a + 32, 8);
  }
  return weighed(a, 64);
}
DERIVED(blocks)

/* Vectors with steps, forwards and backwards, and outer products; y and the matrix are overwritten. */
static double vectors(const double *x) {
  int m = 6 + more, n = 9 + more, step = FLAG(1, 1, 2), back = FLAG(2, 1, -1);
  double a[90], u[20], v[20];
  fill(x, a, 90, 2), fill(x, u, 20, 3), fill(x, v, 20, 6);
  for (int times = 0; times < 2; times++) {
    int trans = FLAG(0, NoTrans, Trans);
    cblas_dgemv(order, trans, m, n, x[4], a, 10, u, step, 0.5, v, back);
    cblas_dger(order, m, n, 0.1, v, back, u, step, a, 10);
    u[times] *= v[1];
  }
  return weighed(a, 90) + weighed(u, 20) + weighed(v, 20);
}
DERIVED(vectors)

static double in_fortran(const double *x) {
  double *a = malloc(400 * sizeof *a), *b = malloc(400 * sizeof *b), *c = malloc(400 * sizeof *c), beta = 0.0, s = 0;
  for (int n = 3 + more; n < 20; n += 15) {
    fill(x, a, n * n, 1), fill(x, b, n * n, 2);
    double alpha = x[5] * n;
    dgemm_(flags & 1 ? "T" : "N", flags & 2 ? "T" : "N", &n, &n, &n, &alpha, a, &n, b, &n, &beta, c, &n);
    for (int i = 0; i < n * n; i++) a[i] = c[i] * b[i];
    s += weighed(a, n * n) * 1e-3;
  }
  free(a), free(b), free(c);
  return s;
}
DERIVED(in_fortran)

int main(void) {
  double x[N];
  for (int i = 0; i < N; i++) x[i] = 0.4 + 0.3 * cos(1.7 * i) + 0.05 * i;
  for (order = RowMajor; order <= ColMajor; order++)
    for (flags = 0; flags < 8; flags++) {
      if (flags < 4) {
        CHECK_DERIVED(sizes, x);
        CHECK_DERIVED(in_fortran, x);
      }
      if (flags < 2) {
        CHECK_DERIVED(states, x);
        CHECK_DERIVED(itself, x);
        CHECK_DERIVED(blocks, x);
      }
      CHECK_DERIVED(vectors, x);
    }
  return check_done();
}
