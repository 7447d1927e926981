/* Rows that change what lies along them: to be run four at a time, in vectors, where they are apart, and one after the
 * other where a row's own numbers, those of the next, what all of them add to, or what they read overlap. */
// heavy: many loops, which become several for vectors
#include "check.h"

enum { N = 96 };

/* A matrix in x, from its beginning on, of n rows of m numbers, rows one number less or more apart than they are long. */
static double walk(const double *x, int n, int m, int apart, int kind) {
  double w[N], z[N], s = 0;
  memcpy(w, x, sizeof w);
  for (int j = 0; j < N; j++) z[j] = 0.1 * x[N - 1 - j];
  for (int step = 0; step < 2; step++) {
    for (int i = 0; i < n; i++) {
      double *row = w + i * apart, share = 0.1 * z[i] + 0.01 * i;
      for (int j = 0; j < m; j++) {
        if (kind == 0) z[j + 20] += share * row[j];               /* all rows add to one */
        if (kind == 1) row[j] += share * z[j + 20];               /* each to its own */
        if (kind == 2) row[j] += share * z[j + 20], z[j + 50] += row[j] * share;
        if (kind == 3) z[j + 20] = 0.9 * z[j + 20] + 0.01 * row[j]; /* what is there is made smaller by each row */
        if (kind == 4) z[j + 20] *= 0.9;                          /* the same for all rows, once for each */
        if (kind == 5) row[j] = 0.5 * row[j + 1] + share;         /* the next number of its own */
        if (kind == 6) w[i + j] += share * z[j + 20];             /* rows one number apart */
        if (kind == 7) z[j + 20] = row[j] * share;                /* the last row's stays */
        if (kind == 8) z[j] += share * row[j];                    /* what the next rows begin with */
        if (kind == 9) row[m - 1 - j] += share * z[j + 20];       /* down */
        if (kind == 10) w[m * 4 + j] += share * row[j];           /* a row that is read later */
        if (kind == 11) z[20] += share * row[j];                  /* one number for all */
      }
    }
    for (int i = 0; i < n; i++) z[i] = 0.8 * z[i] + 0.1 * w[i];
  }
  for (int j = 0; j < N; j++) s += w[j] * w[j] * (1 + j % 3) + z[j] * z[j] * (1 + j % 5);
  return s;
}
#define WALK(name, ...) \
  static double name(const double *x) { return walk(x, __VA_ARGS__); } \
  DERIVED(name)
WALK(all_add, 7, 11, 11, 0)
WALK(own, 7, 12, 12, 1)
WALK(own_short, 9, 9, 9, 1)
WALK(own_overlap, 7, 12, 11, 1)
WALK(own_wide, 5, 14, 16, 1)
WALK(both, 6, 14, 14, 2)
WALK(both_overlap, 6, 14, 13, 2)
WALK(smaller, 8, 11, 11, 3)
WALK(same_for_all, 8, 11, 11, 4)
WALK(next_number, 6, 13, 14, 5)
WALK(one_apart, 9, 12, 12, 6)
WALK(last_stays, 6, 13, 13, 7)
WALK(begin_with, 6, 13, 13, 8)
WALK(down, 7, 13, 13, 9)
WALK(read_later, 7, 12, 12, 10)
WALK(one_for_all, 7, 12, 12, 11)
WALK(few_rows, 3, 20, 20, 2)
WALK(no_rows, 0, 20, 20, 2)
WALK(short_rows, 12, 7, 7, 2)
WALK(no_numbers, 12, 0, 7, 2)

/* The sizes, and where rows lie, are known when it runs. */
static double product(const double *restrict A, const double *restrict x, double *restrict y, int n, int m) {
  double s = 0;
  for (int i = 0; i < n; i++) {
    double r = 0;
    for (int j = 0; j < m; j++) r += A[i * m + j] * x[j];
    y[i] = r;
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) s += y[i] * x[j] * A[i * m + j] * A[i * m + j];
  return s;
}
static double products(const double *x, int n, int m) {
  double y[N];
  return product(x + m, x, y, n, m);
}
static double products4(const double *x) { return products(x, 4, 16); }
static double products5(const double *x) { return products(x, 5, 15); }
static double products7(const double *x) { return products(x, 7, 9); }
static double products9(const double *x) { return products(x, 9, 8); }
DERIVED(products4)
DERIVED(products5)
DERIVED(products7)
DERIVED(products9)

int main(void) {
  double a[N], b[N];
  for (int i = 0; i < N; i++) a[i] = 0.3 + 0.02 * (i * 7 % 23), b[i] = 0.5 - 0.03 * (i * 5 % 29);
#define EACH(f) CHECK_DERIVED(f, a); CHECK_DERIVED(f, b)
  EACH(all_add); EACH(own); EACH(own_short); EACH(own_overlap); EACH(own_wide); EACH(both); EACH(both_overlap);
  EACH(smaller); EACH(same_for_all); EACH(next_number); EACH(one_apart); EACH(last_stays); EACH(begin_with); EACH(down);
  EACH(read_later); EACH(one_for_all); EACH(few_rows); EACH(no_rows); EACH(short_rows); EACH(no_numbers);
  EACH(products4); EACH(products5); EACH(products7); EACH(products9);
  return check_done();
}
