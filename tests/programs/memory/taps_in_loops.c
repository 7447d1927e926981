/* Loops of a few rounds over neighbours, some of which are beyond an edge: left out, the nearest that there is, mirrored,
 * from the other side; in one and two dimensions, up and down, without a sign, with weights that are variables; in rows
 * so short that all of them are at an edge; and written to arrays that overlap what is read. */
// heavy: many loops, which become several for vectors
#include "check.h"

#define N 24
#define W (3 * N)

static volatile int length = N, shift = 0; /* nobody knows these */

static double left_out(const double *x) {
  int n = length;
  double s = 0;
  for (int i = 0; i < n; i++) {
    double a = 0.1;
    for (int b = -2; b <= 2; b++)
      if (i + b >= 0 && i + b < n) a += x[b + 2] * x[i + b] * x[i + b];
    s += a * a / (1 + a * a);
  }
  return s;
}

static double passed_by(const double *x) {
  int n = length;
  double s = 0;
  for (int i = n - 1; i >= 0; i--) {
    double a = 0;
    for (int b = 0; b < 7; b++) {
      int j = i + 3 - b;
      if (j < 0 || j >= n) continue;
      if (j == 5) a += x[b];
      a += x[j] * x[(j + b) % n];
    }
    s += sin(a);
  }
  return s;
}

static double nearest(const double *x) {
  int n = length;
  double s = 0;
  for (int i = 0; i < n; i++) {
    double a = 1;
    for (int b = -1; b <= 1; b++) {
      int j = i + 2 * b;
      if (j < 0) j = 0;
      if (j > n - 1) j = n - 1;
      a = a * 0.5 + x[j] * x[i];
    }
    s += a * x[i];
  }
  return s;
}

static double mirrored(const double *x) {
  int n = length;
  double s = 0;
  for (int i = 0; i < n; i++) {
    double a = 0;
    for (int b = -2; b <= 2; b++) {
      int j = abs(i + b);
      if (j >= n) j = 2 * n - 2 - j;
      a += (3 - abs(b)) * x[j < 0 ? 0 : j];
    }
    s += a * a * x[i];
  }
  return s;
}

static double around(const double *x) {
  unsigned n = length;
  double s = 0;
  for (unsigned i = 0; i < n; i++) {
    double a = 0;
    for (unsigned b = 0; b < 5; b++) a += x[(i + b + n - 2) % n] * x[b];
    s += a * a / (2 + a);
  }
  return s;
}

static NOINLINE void image(int m, int n, const double *k, const double *u, double *v) {
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      double a = 0;
      for (int p = -1; p <= 1; p++)
        for (int q = -1; q <= 1; q++) {
          int y = i + p, z = j + q;
          if (y >= 0 && y < m && z >= 0 && z < n) a += k[(p + 1) * 3 + q + 1] * u[y * n + z];
        }
      v[i * n + j] = a / (1 + a * a);
    }
}
static double padded(const double *x) {
  int n = length < 8 ? length : 10, m = 2;
  double u[W], s = 0;
  for (int i = 0; i < W; i++) u[i] = x[i % N] * (1 + 0.01 * i);
  image(m, n, x, u + N, u + N + shift);
  image(m, n, u, u, u + 2 * N);
  for (int i = 0; i < W; i++) s += u[i] * u[i] / (1 + i);
  return s;
}

static int held(int i, int n) { return i < 0 ? 0 : i >= n ? n - 1 : i; }
static double pixel(const double *u, int m, int n, int i, int j) { return u[held(i, m) * n + held(j, n)]; }
static double smoothed(const double *x) {
  int n = length / 2, m = 2;
  double s = 0;
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      double v = 0, w = 0;
      for (int p = -1; p <= 1; p++)
        for (int q = -1; q <= 1; q++) {
          double d = pixel(x, m, n, i + p, j + q) - x[i * n + j], g = 1 / (1 + d * d);
          v += g * d;
          w += g;
        }
      s += v * v / w;
    }
  return s;
}

/* What is summed up goes into what later rounds read. */
static double in_place(const double *x) {
  int n = length;
  double u[N], s = 0;
  for (int i = 0; i < N; i++) u[i] = x[i];
  for (int t = 0; t < 2; t++)
    for (int i = 0; i < n; i++) {
      double a = 0;
      for (int b = -1; b <= 1; b++)
        if (i + b >= 0 && i + b < n) a += u[i + b];
      u[i] = 0.3 * a * u[i];
    }
  for (int i = 0; i < N; i++) s += u[i] * u[i];
  return s;
}

/* Neighbours without edges, not linear, in an array of their own. */
static double moving(const double *x) {
  int n = length;
  double w[W], s = 0;
  for (int i = 0; i < W; i++) w[i] = x[i % N];
  for (int t = 0; t < 2; t++) {
    for (int i = 3; i < n - 3; i++) {
      double a = 0;
      for (int b = -3; b <= 3; b++) a += w[i + b] * w[i - b];
      w[N + i] = a * a / (7 + a);
    }
    for (int i = 3; i < n - 3; i++) w[i] = w[N + i];
  }
  for (int i = 0; i < W; i++) s += w[i] * w[i];
  return s;
}

DERIVED(left_out)
DERIVED(passed_by)
DERIVED(nearest)
DERIVED(mirrored)
DERIVED(around)
DERIVED(padded)
DERIVED(smoothed)
DERIVED(in_place)
DERIVED(moving)

int main(void) {
  static const int lengths[] = {24, 17, 13, 7, 4, 3};
  for (int k = 0; k < COUNT(lengths); k++) {
    double x[N];
    static const int shifts[] = {N, 0, 1, -1, 3, -10};
    length = lengths[k];
    shift = shifts[k];
    for (int i = 0; i < N; i++) x[i] = 0.45 + 0.3 * sin(1.7 * i + 0.3 + k);
    CHECK_DERIVED(left_out, x);
    CHECK_DERIVED(passed_by, x);
    CHECK_DERIVED(nearest, x);
    CHECK_DERIVED(mirrored, x);
    CHECK_DERIVED(around, x);
    CHECK_DERIVED(padded, x);
    CHECK_DERIVED(smoothed, x);
    CHECK_DERIVED(in_place, x);
    CHECK_DERIVED(moving, x);
  }
  return check_done();
}
