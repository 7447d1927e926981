/* Indices of 32 bits whose sums an optimiser adds in another order: rows and columns with short loops over neighbours,
 * downwards, with rows that go backwards, without a sign and around the end of words; arrays that overlap what is read,
 * and rows too few for the loops to be told. */
// heavy: many loops, which become several for vectors
#include "check.h"

#define M 5
#define N 12
#define W (3 * M * N)

static volatile int length = N, height = M, shift = 0; /* nobody knows these */
static volatile unsigned turn = 0;

static void fill(double *u, const double *x) {
  for (int i = 0; i < W; i++) u[i] = x[i % (2 * N)] * (1 + 0.002 * i);
}
static double total(const double *u) {
  double s = 0;
  for (int i = 0; i < W; i++) s += u[i] * u[i] / (1 + i);
  return s;
}

static NOINLINE void inside(int m, int n, const double *k, const double *u, double *v) {
  for (int i = 1; i < m - 1; i++)
    for (int j = 1; j < n - 1; j++) {
      double a = 0;
      for (int p = -1; p <= 1; p++)
        for (int q = -1; q <= 1; q++) {
          int y = i + p, z = j + q;
          a += k[(p + 1) * 3 + q + 1] * u[y * n + z];
        }
      v[i * n + j] = a / (1 + a * a);
    }
}
static double convolved(const double *x) {
  double u[W];
  fill(u, x);
  inside(height, length, x, u + M * N, u + M * N + shift);
  inside(height, length, u, u, u + 2 * M * N);
  return total(u);
}

/* Rows from the last to the first. */
static NOINLINE void upwards(int m, int n, int row, const double *u, double *v) {
  for (int i = m - 2; i >= 1; i--)
    for (int j = n - 2; j >= 1; j--) {
      double a = 0.2;
      for (int p = -1; p <= 1; p++)
        for (int q = -1; q <= 1; q++) a = 0.7 * a + u[(i + p) * row + (j + q)] * u[i * row + j];
      v[i * row + j] = a;
    }
}
static double turned(const double *x) {
  int m = height, n = length;
  double u[W];
  fill(u, x);
  upwards(m, n, n, u + M * N, u + M * N + shift);
  upwards(m, n, -n, u + (m - 1) * n, u + M * N + (m - 1) * n);
  return total(u);
}

/* Numbers without a sign; with ``turn`` they go around the end of their words on the way. */
static NOINLINE void unsigned_rows(unsigned m, unsigned n, unsigned by, const double *u, double *v) {
  for (unsigned i = 0; i + 2 < m; i++)
    for (unsigned j = 0; j + 2 < n; j++) {
      double a = 0.1;
      for (unsigned p = 0; p < 3; p++)
        for (unsigned q = 0; q < 3; q++) a += u[(i + p) * n + (j + q - by) + by] * u[(i + p + by) * n + j - by * n];
      v[i * n + j] = a / (1 + a * a);
    }
}
static double around(const double *x) {
  double u[W];
  fill(u, x);
  unsigned_rows(height, length, turn, u + M * N, u + M * N + shift);
  unsigned_rows(height, length, -turn, u, u + 2 * M * N);
  return total(u);
}

/* Sums that do go around the end of their words, to where they were: 128 times 2^25, or twice 2^31. */
#define WIDTH 128
static NOINLINE void whole_turns(int m, int n, unsigned by, const double *u, double *v) {
  for (int i = 0; i < m; i++)
    for (int j = 0; j + 2 < n; j++) {
      double a = 0.3;
      for (unsigned p = 0; p < 2; p++)
        for (unsigned q = 0; q < 3; q++) {
          unsigned row = i + p + by, column = j + q;
          a += u[(int)(row * WIDTH + column)] * u[column] * (1 + p);
        }
      v[i * n + j] = a / (1 + a * a);
    }
}
static NOINLINE double whole_turns_read(int m, int n, unsigned by, const double *u) {
  double s = 0;
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n - 2; j++)
      for (int q = 0; q < 3; q++) {
        unsigned row = i + by, column = j + q;
        s += u[(int)(row * WIDTH + column)] * u[column] * u[i];
      }
  return s;
}
static double turns(const double *x) {
  static const unsigned far[] = {0, 1u << 25, 1u << 31, 0x02000000u - 0x06000000u};
  double u[(M + 2) * WIDTH], v[W], s;
  for (int i = 0; i < COUNT(u); i++) u[i] = x[i % (2 * N)] * (1 - 0.001 * i);
  for (int i = 0; i < W; i++) v[i] = 0;
  unsigned by = far[turn % 4];
  whole_turns(height, length, by, u, v);
  s = whole_turns_read(height, length, by, u);
  whole_turns(2, length, by, u, u + WIDTH - shift % 8);
  for (int i = 0; i < COUNT(u); i++) s += u[i] * u[i] / (1 + i);
  return s + total(v);
}

/* Three loops, of which one is over planes. */
static NOINLINE double planes(int l, int m, int n, const double *u) {
  double s = 0;
  for (int h = 0; h < l; h++)
    for (int i = 1; i < m - 1; i++)
      for (int j = 0; j < n - 2; j++) {
        double a = 0;
        for (int p = -1; p <= 1; p++)
          for (int q = 0; q < 3; q++) {
            int y = h * m + i + p, z = j + q;
            a += u[y * n + z] * u[y * n + j + 1];
          }
        s += a * a / (3 + a);
      }
  return s;
}
static double volumes(const double *x) {
  double u[W];
  fill(u, x);
  return planes(3, height, length, u) + planes(height - 2, 3, length, u + 1);
}

/* How far a row goes, and where it begins, hangs on the one before. */
static NOINLINE double stairs(int n, const double *u) {
  double s = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) {
      int at = i * (i + 1) / 2 + j;
      for (int b = 0; b < 2; b++) s += u[at + b] * u[at + 1 - b] * u[j];
    }
  return s;
}
static double triangle(const double *x) {
  double u[W];
  fill(u, x);
  return stairs(length, u);
}

DERIVED(convolved)
DERIVED(turned)
DERIVED(around)
DERIVED(volumes)
DERIVED(turns)
DERIVED(triangle)

int main(void) {
  static const int lengths[] = {12, 11, 9, 3}, heights[] = {5, 5, 3, 2};
  for (int k = 0; k < COUNT(lengths); k++)
    for (int by = 0; by < 4; by++) {
      double x[2 * N];
      length = lengths[k];
      height = heights[k];
      static const unsigned turned_by[] = {0, 1, 0x7ffffffeu, 0xfffffff3u};
      shift = by == 0 ? M * N : by == 1 ? 0 : by == 2 ? 1 : -length;
      turn = turned_by[by];
      for (int i = 0; i < 2 * N; i++) x[i] = 0.45 + 0.3 * sin(1.7 * i + 0.3 + k);
      CHECK_DERIVED(convolved, x);
      CHECK_DERIVED(turned, x);
      CHECK_DERIVED(around, x);
      CHECK_DERIVED(volumes, x);
      CHECK_DERIVED(turns, x);
      CHECK_DERIVED(triangle, x);
    }
  return check_done();
}
