/* Neighbouring records: points in a plane and in space, of which each iteration reads two or three, whole or in part, up
 * and down, with numbers of which only some have neighbours, records that are stored as well, numbers of two sizes that
 * lie upon each other, and records of other lengths in between. */
#include "check.h"

#define N 48

static volatile int length = N; /* nobody knows it */

struct point { double x, y; };
struct body { double at[2], by[2]; };

static double polyline(const double *x) {
  int n = length / 2;
  double s = 0;
  for (int i = 1; i < n; i++) {
    double a = x[2 * i] - x[2 * i - 2], b = x[2 * i + 1] - x[2 * i - 1];
    s += sqrt(a * a + b * b + 0.1) * (1 + 0.1 * x[2 * i]);
  }
  return s;
}

static double in_space(const double *x) { /* bends of a chain, from its end on */
  double s = 0;
  for (int i = length / 3 - 2; i >= 1; i--) {
    double dot = 0;
    for (int k = 0; k < 3; k++) dot += (x[3 * i + k + 3] - x[3 * i + k]) * (x[3 * i + k] - x[3 * i + k - 3]);
    s += dot * dot + 0.3 * dot * x[3 * i + 1];
  }
  return s;
}

static double bodies(const double *x) {
  const struct body *b = (const struct body *)x;
  int n = length / 4;
  double s = 0;
  for (int i = 0; i + 1 < n; i++) {
    double dx = b[i + 1].at[0] - b[i].at[0], dy = b[i + 1].at[1] - b[i].at[1], r = dx * dx + dy * dy + 0.2;
    s += b[i].by[0] * b[i].by[0] + b[i].by[1] * dy + log(r) * (b[i + 1].by[1] - b[i].by[1]);
  }
  return s;
}

static double crossed(const double *x) { /* the second of one record with the first of another */
  int n = length / 2;
  double s = 0;
  for (int i = 0; i + 2 < n; i++) s += x[2 * i] * x[2 * i + 3] - x[2 * i + 2] * x[2 * i + 1] * x[2 * i + 4] * x[2 * i + 5];
  return s * s * 0.05;
}

static double far_apart(const double *x) { /* too far, next to each other, and by itself */
  int n = length / 4;
  double s = 0;
  for (int i = 0; i + 4 < n; i++) s += x[4 * i] * x[4 * i + 16] * x[4 * i + 2] + x[4 * i + 1] * x[4 * i + 5] * x[4 * i + 9] * x[4 * i + 3];
  return s;
}

static double smooth(const double *x) { /* in place */
  double u[N], s = 0;
  int n = length / 2;
  for (int i = 0; i < N; i++) u[i] = x[i];
  for (int i = 1; i < n - 1; i++) {
    u[2 * i] = 0.5 * u[2 * i] + 0.2 * u[2 * i - 2] * u[2 * i + 2];
    u[2 * i + 1] += 0.1 * u[2 * i] * u[2 * i + 3];
  }
  for (int i = 0; i < N; i++) s += u[i] * u[i] * (i % 5 + 1);
  return s;
}

static double one_stored(const double *x) { /* the second number is written, the first are read */
  double u[N], s = 0;
  int n = length / 2;
  for (int i = 0; i < N; i++) u[i] = x[i];
  for (int i = 0; i + 1 < n; i++) u[2 * i + 1] = u[2 * i] * u[2 * i + 2] * u[2 * i + 1] + u[2 * i + 3];
  for (int i = 0; i < N; i++) s += u[i] * u[i] * (i % 3 + 1);
  return s;
}

static NOINLINE double move(double *a, double *b, int n) { /* records that may be one array */
  for (int i = 0; i + 1 < n; i++) {
    b[2 * i] = 0.5 * a[2 * i] * a[2 * i + 2] + a[2 * i + 1];
    b[2 * i + 1] = 0.3 * a[2 * i + 3] * a[2 * i + 1] - a[2 * i];
  }
  return b[0];
}
static double moved(const double *x) {
  double u[2 * N], s = 0;
  for (int at = 0; at < 5; at++) {
    for (int i = 0; i < 2 * N; i++) u[i] = x[i % N];
    move(u, u + (at ? at - 1 : N), length / 2);
    for (int i = 0; i < 2 * N; i++) s += u[i] * u[i] * (i % 7 + 1 + at);
  }
  return s;
}

static double both_ends(const double *x) {
  double f[N], s = 0;
  int n = length / 2;
  for (int i = 0; i < N; i++) f[i] = 0;
  for (int i = 0; i + 1 < n; i++) {
    double a = x[2 * i + 2] - x[2 * i], b = x[2 * i + 3] - x[2 * i + 1], l = sqrt(a * a + b * b + 0.1), g = (l - 0.4) / l;
    f[2 * i] += g * a, f[2 * i + 1] += g * b, f[2 * i + 2] -= g * a, f[2 * i + 3] -= g * b;
  }
  for (int i = 0; i < N; i++) s += f[i] * f[i] * (1 + i % 4);
  return s;
}

static double upon_each_other(const double *x) { /* seven bytes from one to the next: they overlap */
  char u[N * 8 + 16];
  double s = 0;
  int n = length / 2;
  memset(u, 0, sizeof u);
  for (int i = 0; i < n; i++) memcpy(u + 16 * i, &x[i], 8);
  for (int i = 0; i + 1 < n; i++) {
    double a, b;
    memcpy(&a, u + 16 * i, 8), memcpy(&b, u + 16 * i + 16, 8);
    s += a * b * b;
  }
  return s;
}

static double of_pointers(const double *x) {
  const struct point *p = (const struct point *)x, *end = p + length / 2;
  double s = 0;
  for (const struct point *q = p + 1; q < end; p++, q++) s += p->x * q->y - p->y * q->x * q->x;
  return s * s * 0.1;
}

/* Arrays that are only read may have one shadow, or shadows that overlap, which get both derivatives. */
#ifndef REFERENCE
static double pair(const double *restrict a, const double *restrict x, double *restrict y, int n) {
  double s = 0;
  for (int i = 0; i + 1 < n; i++) {
    y[i] = sin(a[i] * a[i + 1]) * x[i] * x[i + 1] + y[i] * x[i];
    s += a[i] * a[i + 1] * a[i + 1] * x[i + 1];
  }
  return s;
}
static double records(const double *restrict a, const double *restrict x, double *restrict y, int n) {
  double s = 0;
  for (int i = 0; 2 * i + 3 < n; i++) {
    y[2 * i] += sin(a[2 * i] * a[2 * i + 2]) * x[2 * i + 1] * x[2 * i + 3] * x[2 * i];
    s += a[2 * i + 3] * a[2 * i + 1] * x[2 * i] * x[2 * i + 2];
  }
  return s;
}
#define OVERLAP(function)                                                                                              \
  for (int at = 0; at < 5; at++) {                                                                                     \
    double a[N], x[N], y[N], da[N + 8] = {0}, dx[N] = {0}, both[N + 8] = {0}, dy[N];                                   \
    for (int i = 0; i < N; i++) a[i] = cos(i), x[i] = 0.5 + 0.3 * sin(i), y[i] = 0.2, dy[i] = 0.5 + 0.1 * i;           \
    __enzyme_autodiff((void *)function, enzyme_dup, a, da, enzyme_dup, x, dx, enzyme_dup, y, dy, length);              \
    for (int i = 0; i < N; i++) y[i] = 0.2, dy[i] = 0.5 + 0.1 * i;                                                     \
    __enzyme_autodiff((void *)function, enzyme_dup, a, both, enzyme_dup, x, both + at, enzyme_dup, y, dy, length);     \
    for (int i = 0; i < N; i++) da[at + i] += dx[i];                                                                   \
    for (int i = 0; i < N + 8; i++) check_close("shadows of " #function, i, both[i], da[i], 1e-12);                    \
  }
#endif

DERIVED(polyline) DERIVED(in_space) DERIVED(bodies) DERIVED(crossed) DERIVED(far_apart) DERIVED(smooth)
DERIVED(one_stored) DERIVED(moved) DERIVED(both_ends) DERIVED(upon_each_other) DERIVED(of_pointers)

int main(void) {
  static const int lengths[] = {N, 0, 1, 2, 5, 6, 12, 20, 33};
  for (int k = 0; k < COUNT(lengths); k++) {
    double x[N];
    length = lengths[k];
    for (int i = 0; i < N; i++) x[i] = 0.45 + 0.3 * sin(1.7 * i + 0.3 + k);
    CHECK_DERIVED(polyline, x);
    CHECK_DERIVED(in_space, x);
    CHECK_DERIVED(bodies, x);
    CHECK_DERIVED(crossed, x);
    CHECK_DERIVED(far_apart, x);
    CHECK_DERIVED(smooth, x);
    CHECK_DERIVED(one_stored, x);
    CHECK_DERIVED(moved, x);
    CHECK_DERIVED(both_ends, x);
    CHECK_DERIVED(upon_each_other, x);
    CHECK_DERIVED(of_pointers, x);
#ifndef REFERENCE
    OVERLAP(pair)
    OVERLAP(records)
#endif
  }
  return check_done();
}
