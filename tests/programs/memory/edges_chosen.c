/* What is special at the ends of a loop alone: indices that stop at an edge, of all kinds of numbers; filters that leave
 * out what is beyond; ifs without an else; planes and boxes whose rows begin at numbers that are multiplied, wrap, or are
 * below zero; outer loops that run down, by twos, or not at all. */
// heavy: many loops, which become several for vectors
#include "check.h"

#define N 40
#define W 200

static volatile int length = N; /* nobody knows these */
static volatile unsigned offset;
static volatile int below;

static inline int held(int i, int n) { return i < 0 ? 0 : i >= n ? n - 1 : i; }

/* Neighbours that stop at the edge. */
static NOINLINE void smooth(int n, const double *u, double *v) {
  for (int i = 0; i < n; i++)
    v[i] = 0.4 * u[i] * u[held(i + 1, n)] + 0.2 * u[held(i - 1, n)] + 0.1 * u[held(i - 2, n)] * u[held(i + 3, n)];
}
static double repeated(const double *x) {
  int n = length;
  double u[N], v[N], s = 0;
  for (int i = 0; i < n; i++) u[i] = x[i];
  for (int t = 0; t < 3; t++) smooth(n, u, v), smooth(n, v, u);
  for (int i = 0; i < n; i++) s += u[i] * u[i] * (i + 1);
  return s;
}

/* The lesser and the greater of numbers without a sign, and differences that stop at zero. */
#define LESS(a, b) ((a) < (b) ? (a) : (b))
#define MORE(a, b) ((a) > (b) ? (a) : (b))
static double unsigned_edges(const double *x) {
  size_t n = length;
  unsigned m = length, far = offset;
  double s = 0;
  for (size_t i = 0; i < n; i++) s += x[LESS(i + 1, n - 1)] * x[MORE(i, 1) - 1] * x[i];
  for (unsigned i = 0; i < m; i++) s += x[LESS(i + 2, m - 1)] * x[i > 2 ? i - 3 : 0] / (1 + x[i] * x[i]);
  for (unsigned i = 0; i < m; i++) s += x[LESS(i - 1, m - 1)] * x[i];        /* below zero: the last one */
  for (unsigned i = 0; i < m; i++) s += x[LESS(i + far, m - 1)] * x[i];      /* far is large: the last one, or wrapped */
  for (unsigned i = 0; i < m; i++) s += i + far < m ? x[i + far] * x[i] : x[i];
  for (size_t i = 0; i < n; i++)
    if (i + 1 < n) s += x[i + 1] * x[i] * 0.5;
  for (size_t i = 0; i < n; i++)
    if (i - 2 < n) s += x[i - 2] * x[i] * 0.5; /* not for the first two, which are below zero */
  return s;
}

/* A filter with nothing beyond the ends, and ifs that hold in some of the first and last iterations. */
#define TAP(b) \
  if (i + b >= 0 && i + b < n) a += x[i + b] * (b + 3.5);
static double padded(const double *x) {
  int n = length;
  double s = 0, before = 0;
  for (int i = 0; i < n; i++) {
    double a = 0;
    TAP(-3) TAP(-1) TAP(0) TAP(2) TAP(4)
    s += a * a / (1 + a);
    if (i >= 3) before = 0.5 * before + a * x[i - 3];
    if (i > n - 3) before *= 0.9;
    s += before * 0.1;
  }
  return s;
}

/* Ends without flux. */
static double insulated(const double *x) {
  int n = length;
  double u[N], v[N], s = 0;
  for (int i = 0; i < n; i++) u[i] = x[i];
  for (int t = 0; t < 4; t++) {
    for (int i = 0; i < n; i++) {
      double left = i > 0 ? u[i - 1] : u[i], right = i < n - 1 ? u[i + 1] : u[i], d = 1 + u[i] * u[i];
      v[i] = u[i] + 0.1 * d * (right - 2 * u[i] + left);
    }
    for (int i = 0; i < n; i++) u[i] = v[i];
  }
  for (int i = 0; i < n; i++) s += u[i] * u[i];
  return s;
}

/* A plane and a box, with indices of 32 bits in rows that are products. */
static NOINLINE void plane_step(int n, int m, const double *u, double *v) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      double s = u[held(i - 1, n) * m + j] + u[held(i + 1, n) * m + held(j + 1, m)] * u[i * m + held(j - 1, m)];
      v[i * m + j] = 0.3 * s + 0.2 * u[i * m + (j + 1) % m] * u[i * m + (j + m - 1) % m];
    }
}
static double plane(const double *x) {
  int m = length / 2, n = 2 * m < 13 ? 3 : 2;
  double u[W], v[W], s = 0;
  for (int k = 0; k < n * m; k++) u[k] = x[k % N] * (1 + 0.01 * k);
  plane_step(n, m, u, v), plane_step(n, m, v, u);
  for (int k = 0; k < n * m; k++) s += u[k] * u[k];
  return s;
}
static double box(const double *x) {
  unsigned l = 2, n = 3, m = length / 2;
  double u[W], s = 0;
  for (unsigned k = 0; k < l * n * m; k++) u[k] = x[k % N];
  for (unsigned h = 0; h < l; h++)
    for (unsigned i = 0; i < n; i++)
      for (unsigned j = 0; j < m; j++)
        s += u[(h * n + i) * m + (j + 1) % m] * u[(h * n + (i + 1) % n) * m + (j + m - 1) % m] * (1 + h + i);
  return s;
}

/* Rows that begin at numbers which wrap, or lie below zero and are lifted again. */
static double rows(const double *x) {
  int n = length / 2, from = below;
  unsigned far = offset, count = n;
  double u[W], s = 0;
  for (int k = 0; k < W; k++) u[k] = x[k % N] * (1 + 0.01 * k);
  for (unsigned i = 0; i < 2; i++)
    for (unsigned j = 0; j < count; j++)
      s += u[(i * far - i * far) + i * count + (j + 1) % count] * u[((i + 7) * far + j - 7 * far - i * far)];
  for (int i = from; i < from + 3; i++) /* i is negative */
    for (int j = 0; j < n; j++) s += u[(i - from) * n + (j + 1) % n] * u[(i - from) * n + held(j + i, n)];
  for (int i = from; i < from + 3; i++)
    for (int j = 0; j < n; j++) s += u[60 + i * n / 8 + (j + 1) % n] * u[60 + i * 3 + held(j - 1, n)];
  for (unsigned i = 0; i < 3; i++) /* of 2^32 and more: what is left of it */
    for (unsigned j = 0; j < count; j++) s += u[(unsigned)((i << 30) * 4u + j)] * u[(j + 1) % count + i];
  return s;
}

/* Products that are small, or wrap twice: where the row is that of 64, v[-72]. */
static volatile unsigned first_factor = (1u << 25) - 1, second_factor = 53687091;
static double wrapped_rows(const double *x) {
  int n = length / 2;
  unsigned a = first_factor, b = second_factor;
  double u[W], *v = u + 72, s = 0;
  for (int k = 0; k < W; k++) u[k] = x[k % N] * (1 + 0.01 * k);
  for (int i = 0; i <= 64; i++)
    if (i % 64 == 0)
      for (int j = 0; j < n; j++)
        s += v[(int)((unsigned)i * a + (unsigned)(i < 40 ? i : 40) * b + (unsigned)((j + 1) % n))] * v[j + i];
  /* A row whose bound wraps in 64 bits as well: only the first one is small. */
  for (int h = 0; h < 2; h++)
    for (long i = 0; i < 1; i++)
      for (int j = 0; j < n; j++)
        s += u[(int)((unsigned)(h * 33554431) * 33554432u * 1048576u + (unsigned)((j + 1) % n))] * u[j + h];
  return s;
}

/* Numbers below zero that are read as large ones. */
static double large(const double *x) {
  int n = length, low = below;
  double s = 0;
  for (int i = 0; i < n; i++) {
    uint64_t k = (unsigned)(i - 9), l = (unsigned)(i + low);
    s += x[held(i + 1, n)] * x[held(i - 1, n)] * (1 + 1e-3 * (double)((k * k) >> 55) + 1e-3 * (double)((l * l) >> 54));
  }
  return s;
}

/* Outer loops of other kinds, and one that never runs. */
static double outer(const double *x) {
  int n = length / 2, never = below > 0 ? 3 : 0, top = n - 1;
  double u[W], s = 0;
  for (int k = 0; k < W; k++) u[k] = x[k % N] * (1 + 0.01 * k);
  for (int i = 2; i >= 0; i--)
    for (int j = 0; j < n; j++) s += u[i * n + (j + 1) % n] * u[i * n + held(j - 1, n)];
  for (int i = 0; i < 4; i += 2)
    for (int j = 0; j < n; j++) s += u[i * n + (j + 1) % n] * u[i * top + held(j + 2, n)];
  for (int i = 0; i < never; i++)
    for (int j = 0; j < n; j++) s += u[i * n + (j + 1) % n] * 1e6;
  for (int i = 0; i < 3; i++)
    for (int j = i; j < n; j++) s += u[i * n + (j + 1) % n] * u[i * n + held(j - 1, n)];
  for (int i = 0, at = 5; i < 3; i++, at += n)
    for (int j = 0; j < n; j++) s += u[at + (j + 1) % n] * u[at + held(j - 1, n)];
  for (int i = 0, at = 1; i < 3; i++, at *= 3)
    for (int j = 0; j < n; j++) s += u[at + (j + 1) % n] * u[at + held(j - 1, n)];
  return s;
}

DERIVED(repeated)
DERIVED(unsigned_edges)
DERIVED(padded)
DERIVED(insulated)
DERIVED(plane)
DERIVED(box)
DERIVED(rows)
DERIVED(wrapped_rows)
DERIVED(large)
DERIVED(outer)

int main(void) {
  static const int lengths[] = {40, 5, 11, 12, 17, 24, 28, 33};
  for (int k = 0; k < COUNT(lengths); k++) {
    double x[N];
    length = lengths[k];
    offset = k % 2 ? 4294967290u : 3000000000u;
    below = -7;
    for (int i = 0; i < N; i++) x[i] = 0.45 + 0.3 * sin(1.7 * i + 0.3 + k);
    CHECK_DERIVED(repeated, x);
    CHECK_DERIVED(unsigned_edges, x);
    CHECK_DERIVED(padded, x);
    CHECK_DERIVED(insulated, x);
    CHECK_DERIVED(plane, x);
    CHECK_DERIVED(box, x);
    CHECK_DERIVED(rows, x);
    CHECK_DERIVED(wrapped_rows, x);
    CHECK_DERIVED(large, x);
    CHECK_DERIVED(outer, x);
  }
  return check_done();
}
