/* Matrices of 3 or 4 rows by value and in local arrays: those that an iteration makes for itself, those that it hands to
 * the next one, those that are read where only some elements were written, and calls that loop until they are done. */
// heavy: many loops, which become several for vectors
#include "check.h"

typedef struct { double m[4][4]; } mat4;
typedef struct { float m[3][4]; } affine;

static int one = 1;

static mat4 product(mat4 a, mat4 b) {
  mat4 r;
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++) {
      r.m[i][j] = 0;
      for (int k = 0; k < 4; k++) r.m[i][j] += a.m[i][k] * b.m[k][j];
    }
  return r;
}
static mat4 made(const double *x, int t) {
  mat4 r;
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++) r.m[i][j] = (i == j) + 0.3 * x[(4 * i + j) % 12] * sin(0.2 * t + i);
  return r;
}
/* new ones in each iteration, assigned to what they are made of */
static double each_its_own(const double *x) {
  double s = 0;
  for (int t = 0; t < 5 * one; t++) {
    mat4 a = made(x, t), b = made(x + 2, t + 1);
    a = product(a, a);
    b = product(a, b);
    a = product(b, product(a, b));
    s += a.m[1][2] * b.m[3][0] + a.m[t % 4][1];
  }
  return s;
}
DERIVED(each_its_own)
/* handed on, some of them through a longer array of matrices */
static double handed_on(const double *x) {
  mat4 chain[5], p = made(x, 0);
  double s = 0;
  for (int t = 0; t < 4 * one; t++) {
    chain[t] = p;
    p = product(p, made(x, t));
    if (t > 1) p = product(chain[t - 2], p);
    s += p.m[0][t % 4];
  }
  for (int t = 0; t < 4 * one; t++) s += chain[t].m[t % 4][2] * chain[(t + 1) % 4].m[1][t % 4];
  return s;
}
DERIVED(handed_on)
/* a matrix of which only the first iteration writes some elements, and one that keeps what the last one left */
static double left_over(const double *x) {
  double s = 0, k[4][4], g[4][3];
  for (int t = 0; t < 6 * one; t++) {
    for (int a = 0; a < 4; a++)
      for (int d = 0; d < 3; d++)
        if (t == 0 || (a + d) % 2 == t % 2) g[a][d] = x[(a + d + t) % 16] * (1 + 0.1 * t);
    for (int a = 0; a < 4; a++)
      for (int b = 0; b < 4; b++) {
        double old = t ? k[a][b] : 0;
        k[a][b] = 0.25 * old;
        for (int d = 0; d < 3; d++) k[a][b] += g[a][d] * g[b][d];
      }
    for (int a = 0; a < 4; a++)
      for (int b = 0; b < 4; b++) s += k[a][b] * x[a] * x[b + 12];
  }
  return s;
}
DERIVED(left_over)
/* elements: gathered, put together, scattered; a row that only the running program names */
static NOINLINE double elements(const double *x, double *force, const int *ids, int n, int row) {
  double s = 0;
  for (int e = 0; e < n; e++) {
    const int *id = ids + 4 * e;
    double J[3][3], grad[4][3], K[4][4];
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) J[i][j] = x[id[j + 1]] * x[(id[0] + i) % 16] + (i == j);
    for (int d = 0; d < 3; d++) {
      grad[0][d] = 0;
      for (int a = 1; a < 4; a++) grad[a][d] = J[a - 1][d], grad[0][d] -= J[a - 1][d];
    }
    for (int a = 0; a < 4; a++)
      for (int b = 0; b < 4; b++) {
        K[a][b] = 0;
        for (int d = 0; d < 3; d++) K[a][b] += grad[a][d] * grad[b][d];
        K[a][b] *= 1 + 0.1 * x[e];
      }
    for (int a = 0; a < 4; a++)
      for (int b = 0; b < 4; b++) force[id[a]] += K[row < 0 ? a : row][b] * x[id[b]];
  }
  for (int i = 0; i < 16; i++) s += force[i] * force[i];
  return s;
}
static double assembled(const double *x, int row) {
  int ids[24];
  double force[16] = {0};
  for (int i = 0; i < 24; i++) ids[i] = (5 * i + i / 4) % 16;
  return elements(x, force, ids, 6 * one, row * one) * 1e-2;
}
static double assembled_all(const double *x) { return assembled(x, -1); }
static double assembled_row(const double *x) { return assembled(x, 2); }
DERIVED(assembled_all) DERIVED(assembled_row)
/* single numbers, three rows of four */
static affine composed(affine a, affine b) {
  affine r;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 4; j++) {
      r.m[i][j] = j == 3 ? a.m[i][3] : 0;
      for (int k = 0; k < 3; k++) r.m[i][j] += a.m[i][k] * b.m[k][j];
    }
  return r;
}
static double singles(const double *x) {
  double s = 0;
  for (int t = 0; t < 3 * one; t++) {
    affine a, b;
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 4; j++) a.m[i][j] = (float)x[4 * i + j], b.m[i][j] = (float)(x[i + j] * (1 + t));
    a = composed(composed(a, b), a);
    s += (double)a.m[0][3] * a.m[2][1];
  }
  return s;
}
static void singles_gradient(const double *x, double *g) { __enzyme_autodiff((void *)singles, enzyme_dup, x, g); }
#define COMPOSED(a, b, r)                                             \
  for (int i = 0; i < 3; i++)                                         \
    for (int j = 0; j < 4; j++) {                                     \
      r[i][j] = j == 3 ? a[i][3] : 0;                                 \
      for (int k = 0; k < 3; k++) r[i][j] += a[i][k] * b[k][j];       \
    }
static double doubles(const double *x) {
  double s = 0;
  for (int t = 0; t < 3 * one; t++) {
    double a[3][4], b[3][4], c[3][4], d[3][4];
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 4; j++) a[i][j] = x[4 * i + j], b[i][j] = x[i + j] * (1 + t);
    COMPOSED(a, b, c)
    COMPOSED(c, a, d)
    s += d[0][3] * d[2][1];
  }
  return s;
}
/* calls that loop until they are done: few rounds, many, none; what they keep stays until they are reversed */
static NOINLINE double root(double a, double r, int most) {
  for (int i = 0; i < most && fabs(r * r - a) > 1e-13; i++) r = 0.5 * (r + a / r);
  return r;
}
static NOINLINE double nested(const double *x, double start, int most) {
  double s = 0.1;
  for (double at = start; at < 3; at *= 1.3) {
    s = s * 0.9 + root(at + x[0] * x[0], s + 1, most);
    for (double y = s * x[1]; y > 0.3; y *= 0.5) s += 0.01 * y * y;
  }
  return s;
}
static double until_done(const double *x) {
  double s = 1;
  for (int t = 0; t < 24 * one; t++) {
    s += 0.01 * s * root(2 + x[t % 16], t % 7 ? 1 : t % 2 ? 1e12 : 1e40, t % 5 ? 400 : 0);
    s += 0.01 * s * nested(x + t % 12, t % 3 ? 0.01 : 5, 40);
  }
  return s;
}
DERIVED(until_done)

int main(void) {
  double x[16];
  for (int i = 0; i < 16; i++) x[i] = 0.5 + 0.3 * sin(1.3 * i + 0.2);
  CHECK_DERIVED(each_its_own, x);
  CHECK_DERIVED(handed_on, x);
  CHECK_DERIVED(left_over, x);
  CHECK_DERIVED(assembled_all, x);
  CHECK_DERIVED(assembled_row, x);
  CHECK_SINGLE(doubles, singles_gradient, 0, x);
  CHECK_DERIVED(until_done, x);
  return check_done();
}
