/* Two nests over the rows of one matrix, one behind the other: each of them with arrays apart, with one on another, and
 * with rows that overlap; some of them need all of the first nest before the second, and some rows of it in another
 * order. Few rows and short ones, too, and rows longer than any room for a copy would be. */
// heavy: many loops, which become several for vectors
#include "check.h"

#define ROWS 11
#define MOST 13
#define SIZE (ROWS * MOST + MOST + ROWS)

typedef void kernel(const double *a, double *x, double *r, int n, int m, int row);

static NOINLINE void descent(const double *a, double *x, double *r, int n, int m, int row) {
  for (int i = 0; i < n; i++) {
    double s = 0;
    for (int j = 0; j < m; j++) s += a[i * row + j] * x[j];
    r[i] = s - 0.1 * i;
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) x[j] -= 0.05 * r[i] * a[i * row + j];
}
static NOINLINE void restricted(const double *restrict a, double *restrict x, double *restrict r, int n, int m, int row) {
  for (int step = 0; step < 3; step++) {
    for (int i = 0; i < n; i++) {
      double s = 0;
      for (int j = 0; j < m; j++) s += a[i * row + j] * x[j];
      r[i] = s - 0.1 * i;
    }
    for (int i = 0; i < n; i++)
      for (int j = 0; j < m; j++) x[j] -= 0.05 * r[i] * a[i * row + j];
  }
}
static NOINLINE void partly(const double *restrict a, double *x, double *restrict r, int n, int m, int row) {
  for (int step = 0; step < 2; step++) {
    for (int i = 0; i < n; i++) {
      double s = 0;
      for (int j = 0; j < m; j++) s += a[i * row + j] * x[j];
      r[i] = s - 0.1 * i;
    }
    for (int i = 0; i < n; i++)
      for (int j = 0; j < m; j++) x[j] -= 0.05 * r[i] * a[i * row + j];
  }
}
static NOINLINE void turned(const double *a, double *x, double *r, int n, int m, int row) {
  for (int i = 0; i < n; i++) {
    double s = 0;
    for (int j = 0; j < m; j++) s += a[i * row + j] * x[j];
    r[i] = s * s;
  }
  for (int i = n - 1; i >= 0; i--) /* the last row first */
    for (int j = 0; j < m; j++) x[j] -= 0.05 * r[i] * a[i * row + j];
}
static NOINLINE void other_row(const double *a, double *x, double *r, int n, int m, int row) {
  for (int i = 0; i < n; i++) {
    double s = 0;
    for (int j = 0; j < m; j++) s += a[i * row + j] * x[j];
    r[i] = s;
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) x[j] -= 0.05 * r[n - 1 - i] * a[i * row + j];
}
static NOINLINE void neighbours(const double *a, double *x, double *r, int n, int m, int row) {
  for (int i = 0; i < n; i++) {
    double s = 0;
    for (int j = 0; j < m; j++) s += a[i * row + j] * x[j];
    r[i] = s;
  }
  for (int i = 1; i < n - 1; i++)
    for (int j = 0; j < m; j++) x[j] -= 0.05 * (r[i - 1] + r[i + 1]) * a[i * row + j];
}
static NOINLINE void of_all(const double *a, double *x, double *r, int n, int m, int row) {
  double all = 0;
  for (int i = 0; i < n; i++) {
    double s = 0;
    for (int j = 0; j < m; j++) s += a[i * row + j] * x[j];
    r[i] = s;
    all += s * s;
  }
  for (int i = 0; i < n; i++) /* needs the sum over all rows */
    for (int j = 0; j < m; j++) x[j] -= 0.05 * all * r[i] * a[i * row + j];
}
static NOINLINE void by_element(const double *a, double *x, double *r, int n, int m, int row) {
  for (int i = 0; i < n; i++) {
    double s = 0;
    for (int j = 0; j < m; j++) s += a[i * row + j] * a[i * row + j] * x[j];
    r[i] = s;
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) x[j] += 0.1 * a[i * row + j] * r[i] * x[m - 1 - j];
}
static NOINLINE void shorter(const double *a, double *x, double *r, int n, int m, int row) {
  for (int i = 0; i < n; i++) {
    double s = 0;
    for (int j = 0; j < m; j++) s += a[i * row + j] * x[j];
    r[i] = s;
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m - 1; j++) x[j] -= 0.05 * r[i] * a[i * row + j + 1];
}
static NOINLINE void both_ways(const double *a, double *x, double *r, int n, int m, int row) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) x[j] += 0.1 * r[i] * a[i * row + j];
  for (int i = 0; i < n; i++) {
    double s = 0;
    for (int j = 0; j < m; j++) s += a[i * row + j] * x[j];
    r[i] = 0.1 * s;
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) x[j] += 0.1 * r[i] * a[i * row + j];
}

static kernel *const kernels[] = {descent, restricted, turned,  other_row, neighbours,
                                  of_all,  by_element, shorter, both_ways, partly};

/* where a, x and r begin in the buffer, the rows, their length, and the way from one to the next */
static const int places[][6] = {
    {0, ROWS * MOST, ROWS *MOST + MOST, ROWS, MOST, MOST}, /* apart */
    {0, ROWS * MOST, ROWS *MOST + MOST, 8, 12, MOST},      {0, ROWS * MOST, ROWS *MOST + MOST, 5, MOST, MOST},
    {0, ROWS * MOST, ROWS *MOST + MOST, 3, MOST, MOST},    {0, ROWS * MOST, ROWS *MOST + MOST, ROWS, 3, 3},
    {0, ROWS * MOST, ROWS *MOST + MOST, 0, MOST, MOST},    {0, ROWS * MOST, ROWS *MOST + MOST, ROWS, MOST, 7},
    {0, ROWS * MOST, ROWS *MOST + MOST, ROWS, MOST, 0},    {0, 0, ROWS *MOST + MOST, ROWS, MOST, MOST}, /* x is a row */
    {0, 5, ROWS *MOST + MOST, ROWS, MOST, MOST},           {0, 4 * MOST + 2, ROWS *MOST + MOST, ROWS, MOST, MOST},
    {0, ROWS * MOST, ROWS *MOST + 1, ROWS, MOST, MOST}, /* r in x */
    {0, ROWS * MOST, 3 * MOST + 1, ROWS, MOST, MOST},   /* r in a */
    {0, ROWS * MOST, 2, ROWS, MOST, MOST},
};

static int which;

static const int *place(void) { return places[which % COUNT(places)]; }
static kernel *chosen(void) { return kernels[which / COUNT(places)]; }

/* Restricted pointers may not overlap. */
static int allowed(void) { return (chosen() != restricted && chosen() != partly) || which % COUNT(places) < 8; }

static double total(const double *in) {
  double w[2 * SIZE] = {0}, s = 0;
  const int *p = place();
  for (int i = 0; i < SIZE; i++) w[i] = in[i];
  chosen()(w + p[0], w + p[1], w + p[2], p[3], p[4], p[5]);
  for (int i = 0; i < 2 * SIZE; i++) s += (1 + i % 7) * w[i] * w[i];
  return s;
}

static double objective(const double *in) { return total(in); }

#define EACH(do) \
  switch (which / COUNT(places)) { \
    case 0: do(descent); break; \
    case 1: do(restricted); break; \
    case 2: do(turned); break; \
    case 3: do(other_row); break; \
    case 4: do(neighbours); break; \
    case 5: do(of_all); break; \
    case 6: do(by_element); break; \
    case 7: do(shorter); break; \
    case 8: do(both_ways); break; \
    default: do(partly); break; \
  }

static void gradient(const double *in, double *g) {
  double w[2 * SIZE] = {0}, d[2 * SIZE];
  const int *p = place();
  for (int i = 0; i < SIZE; i++) w[i] = in[i];
  chosen()(w + p[0], w + p[1], w + p[2], p[3], p[4], p[5]);
  for (int i = 0; i < 2 * SIZE; i++) d[i] = 2 * (1 + i % 7) * w[i];
  for (int i = 0; i < 2 * SIZE; i++) w[i] = i < SIZE ? in[i] : 0;
#define REVERSE(f) \
  __enzyme_autodiff((void *)f, enzyme_dup, w + p[0], d + p[0], enzyme_dup, w + p[1], d + p[1], enzyme_dup, w + p[2], \
                    d + p[2], enzyme_const, p[3], enzyme_const, p[4], enzyme_const, p[5])
  EACH(REVERSE)
  for (int i = 0; i < SIZE; i++) g[i] += d[i];
}

static double tangent(const double *in, const double *v) {
  double w[2 * SIZE] = {0}, d[2 * SIZE] = {0}, s = 0;
  const int *p = place();
  for (int i = 0; i < SIZE; i++) w[i] = in[i], d[i] = v[i];
#define FORWARD(f) \
  __enzyme_fwddiff((void *)f, enzyme_dup, w + p[0], d + p[0], enzyme_dup, w + p[1], d + p[1], enzyme_dup, w + p[2], \
                   d + p[2], enzyme_const, p[3], enzyme_const, p[4], enzyme_const, p[5])
  EACH(FORWARD)
  for (int i = 0; i < 2 * SIZE; i++) s += 2 * (1 + i % 7) * w[i] * d[i];
  return s;
}

/* A step of `restricted` with a matrix of two long rows more than there is room for: its tangent against its gradient. */
static void check_long(int n, int m) {
  int size = n * m + m + n;
  double *w = calloc(4 * size, sizeof *w), *d = w + size, *v = d + size, *g = v + size, one = 0, other = 0;
  for (int i = 0; i < size; i++) w[i] = 0.01 * sin(0.7 * i), v[i] = 0.01 * cos(0.3 * i), g[i] = i >= n * m;
  for (int i = 0; i < size; i++) d[i] = v[i];
#ifndef REFERENCE
  __enzyme_fwddiff((void *)restricted, enzyme_dup, w, d, enzyme_dup, w + n * m, d + n * m, enzyme_dup, w + n * m + m,
                   d + n * m + m, enzyme_const, n, enzyme_const, m, enzyme_const, m);
  for (int i = n * m; i < size; i++) one += d[i];
  for (int i = 0; i < size; i++) w[i] = 0.01 * sin(0.7 * i);
  __enzyme_autodiff((void *)restricted, enzyme_dup, w, g, enzyme_dup, w + n * m, g + n * m, enzyme_dup, w + n * m + m,
                    g + n * m + m, enzyme_const, n, enzyme_const, m, enzyme_const, m);
  for (int i = 0; i < size; i++) other += g[i] * v[i];
#endif
  check_close("long rows", m, other, one, 1e-12);
  free(w);
}

int main(void) {
  double x[SIZE];
  for (int i = 0; i < SIZE; i++) x[i] = 0.3 * sin(1.7 * i + 0.3);
  for (which = 0; which < COUNT(kernels) * COUNT(places); which++)
    if (allowed()) CHECK(objective, gradient, tangent, x);
  check_long(9, 1024);
  check_long(9, 1025);
  check_long(8, 2000);
  return check_done();
}
