/* Kernels that cut a block up into arrays as long as their caller says, which makes them lie apart, side by side, overlap
 * by one number or by all, or be one; with a single element where the next slice begins, pointers that take turns, that
 * lie in front of what they are cut from, or a few numbers further on, a block that a struct holds, and copies of blocks
 * between slices. A derivative that takes slices for apart where they are not is wrong in each of them. */
// heavy: many loops, which become several for vectors
#include "check.h"

#define POOL 120
#define MIDDLE 40

/* What no compiler knows. */
static volatile int given_n, given_m;
static volatile long given_gap;

struct room {
  double *w;
  int n, m;
  long gap;
};

/* Two fields on a grid and their next ones, step by step, as solvers have them. */
static NOINLINE double fields(double *w, int n, int m, long gap) {
  double *u = w, *v = w + gap, *un = w + 2 * gap, *vn = w + 3 * gap;
  for (int step = 0; step < 3; step++) {
    for (int i = 1; i + 1 < n; i++)
      for (int j = 1; j + 1 < m; j++) {
        int o = i * m + j;
        un[o] = 0.2 * (u[o - 1] + u[o + 1] + u[o - m] + u[o + m]) + 0.1 * u[o + 1] * v[o - 1];
        vn[o] = v[o] - 0.1 * v[o + m] * u[o - m] / (1 + v[o - 1] * v[o - 1]);
      }
    for (int i = 1; i + 1 < n; i++)
      for (int j = 1; j + 1 < m; j++) u[i * m + j] = un[i * m + j], v[i * m + j] = vn[i * m + j];
  }
  return 0;
}
/* A matrix and its two vectors in one block, of which nothing but the sizes is told. */
static NOINLINE double packed(double *w, int n, int m, long gap) {
  double *x = w + n * m, *y = x + gap;
  for (int i = 0; i < n; i++) {
    double s = 0.1 * y[i];
    for (int j = 0; j < m; j++) s += w[i * m + j] * x[j] * x[j];
    y[i] = sin(s);
  }
  return y[0] * x[0];
}
/* Buffers that take turns. */
static NOINLINE double turns(double *w, int n, int m, long gap) {
  double *from = w, *to = w + gap, *c = w + 2 * gap;
  for (int step = 0; step < m; step++) {
    for (int i = 1; i + 1 < n; i++) to[i] = from[i] + 0.2 * c[i] * (from[i - 1] - from[i]) * from[i + 1];
    double *t = from;
    from = to, to = t;
  }
  return from[1] * to[n / 2];
}
/* In front of what is given, and beginnings that are a few numbers apart. */
static NOINLINE double around(double *w, int n, int m, long gap) {
  double *before = w - gap, *behind = w + gap, *further = w + gap + 2;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < 3; j++) {
      before[i] += 0.1 * behind[i + j] * further[i] * w[j];
      w[i] = 0.5 * w[i] * before[j] + 0.2 * further[i + j];
    }
  return 0;
}
/* One element where the next slice begins, read and written while the loop runs. */
static NOINLINE double single(double *w, int n, int m, long gap) {
  double *u = w + gap;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      u[i] += 0.1 * w[j] * w[gap] * w[i];
      if (j == 1) w[gap + n - 1] *= 0.9 * w[j];
    }
  return w[gap];
}
/* Blocks are copied between slices, and cleared. */
static NOINLINE double copies(double *w, int n, int m, long gap) {
  double *u = w + gap, *v = w + 2 * gap;
  for (int step = 0; step < 2; step++) {
    for (int i = 0; i < n; i++)
      for (int j = 0; j < m; j++) u[i] += 0.1 * w[i] * w[i] * v[j];
    memmove(w, u, sizeof(double) * n);
    for (int i = 0; i < m; i++) v[i] *= sin(w[i] * u[0]);
  }
  memset(u, 0, sizeof(double) * m);
  return w[0] * v[0];
}
/* The block is a member of a struct, as its sizes are; and is given with a promise. */
static NOINLINE double held(struct room *r) {
  double *u = r->w, *v = r->w + r->gap;
  for (int i = 0; i < r->n; i++)
    for (int j = 0; j < r->m; j++) v[i] = 0.7 * v[i] + 0.1 * u[j] * u[i] * v[j];
  return v[0];
}
static NOINLINE double in_struct(double *w, int n, int m, long gap) {
  struct room r = {w, n, m, gap};
  return held(&r);
}
static NOINLINE double promised(double *restrict w, int n, int m, long gap) {
  double *u = w + gap;
  for (int i = 0; i < n; i++) {
    double s = 0;
    for (int j = 0; j < m; j++) s += w[j] * u[i] * w[i + 1];
    u[i] = sin(s) + 0.5 * w[i];
  }
  return u[n - 1];
}

#define KERNEL(f)                                             \
  static double f##_of(const double *x) {                     \
    double w[POOL], s;                                        \
    for (int i = 0; i < POOL; i++) w[i] = x[i];               \
    s = f(w + MIDDLE, given_n, given_m, given_gap);           \
    for (int i = 0; i < POOL; i++) s += w[i] * w[i] * (1 + i % 3); \
    return s;                                                 \
  }                                                           \
  DERIVED(f##_of)

KERNEL(fields)
KERNEL(packed)
KERNEL(turns)
KERNEL(around)
KERNEL(single)
KERNEL(copies)
KERNEL(in_struct)
KERNEL(promised)

int main(void) {
  static const int sizes[][2] = {{5, 4}, {3, 3}, {1, 2}, {4, 5}};
  double x[POOL];
  for (int i = 0; i < POOL; i++) x[i] = 0.5 + 0.3 * sin(1.3 * i);
  for (int s = 0; s < 4; s++) {
    int n = given_n = sizes[s][0], m = given_m = sizes[s][1];
    const long gaps[] = {n * m, n * m - 1, n, n - 1, n + 1, 1, 0, m};
    for (int g = 0; g < 8; g++) {
      given_gap = gaps[g];
      CHECK_DERIVED(fields_of, x);
      CHECK_DERIVED(packed_of, x);
      CHECK_DERIVED(turns_of, x);
      CHECK_DERIVED(around_of, x);
      CHECK_DERIVED(single_of, x);
      CHECK_DERIVED(copies_of, x);
      CHECK_DERIVED(in_struct_of, x);
      if (gaps[g] > m && gaps[g] > n) CHECK_DERIVED(promised_of, x);
    }
  }
  return check_done();
}
