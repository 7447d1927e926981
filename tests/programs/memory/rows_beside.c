/* Rows that add up numbers in order: results of one row that the next one needs, or that lie where it reads, any number of
 * rows and columns, numbers carried from row to row, rows that overlap, run backwards, or are of floats; pointers that are
 * apart in each row, not from one to the next; the least of all rows. */
// heavy: many loops, which become several for vectors
#include "check.h"

enum { N = 40 };

/* y = A x, and the same with y inside of A, x or the row that follows. */
static NOINLINE void product(const double *A, const double *x, double *y, int n, int m, int stride) {
  for (int i = 0; i < n; i++) {
    double s = 0.01 * i;
    for (int j = 0; j < m; j++) s += A[i * stride + j] * x[j];
    y[i] = s;
  }
}
static double rows(const double *x, int n, int m) {
  double y[16] = {0}, s = 0;
  product(x, x + 3, y, n, m, 2);
  for (int i = 0; i < 16; i++) s += y[i] * y[i] * (1 + i % 3);
  return s;
}
static double rows0(const double *x) { return rows(x, 0, 9); }
static double rows1(const double *x) { return rows(x, 1, 9); }
static double rows3(const double *x) { return rows(x, 3, 11); }
static double rows4(const double *x) { return rows(x, 4, 8); }
static double rows7(const double *x) { return rows(x, 7, 10); }
static double rows8(const double *x) { return rows(x, 8, 1); }
static double rows12(const double *x) { return rows(x, 12, 16); }
static double rows13(const double *x) { return rows(x, 13, 0); }
static double rows16(const double *x) { return rows(x, 16, 8); }
DERIVED(rows0)
DERIVED(rows1)
DERIVED(rows3)
DERIVED(rows4)
DERIVED(rows7)
DERIVED(rows8)
DERIVED(rows12)
DERIVED(rows13)
DERIVED(rows16)

static double inside(const double *x, int from, int to) {
  double w[N], s = 0;
  memcpy(w, x, sizeof w);
  product(w, w + from, w + to, 12, 9, 2);
  for (int i = 0; i < N; i++) s += w[i] * w[i] * (1 + i % 4);
  return s;
}
static double into_x(const double *x) { return inside(x, 20, 20); }  /* x is overwritten while it is read */
static double into_rows(const double *x) { return inside(x, 30, 5); } /* what is written is in rows to come */
static double behind_x(const double *x) { return inside(x, 3, 12); }
DERIVED(into_x)
DERIVED(into_rows)
DERIVED(behind_x)

/* More rows than run at once, one number apart, of an odd or even number of columns; what is left of them. */
static double band(const double *x, int n, int m) {
  double y[32] = {0}, s = 0;
  product(x, x + 3, y, n, m, 1);
  for (int i = 0; i < 32; i++) s += y[i] * y[i] * (1 + i % 3);
  return s;
}
static double band17(const double *x) { return band(x, 17, 9); }
static double band23(const double *x) { return band(x, 23, 1); }
static double band31(const double *x) { return band(x, 31, 8); }
static double band32(const double *x) { return band(x, 32, 2); }
DERIVED(band17)
DERIVED(band23)
DERIVED(band31)
DERIVED(band32)

/* Forward substitution over whole rows: a row needs what the rows before it have found. */
static double substitution(const double *x) {
  double y[12] = {0}, s = 0;
  for (int i = 0; i < 12; i++) {
    double r = x[i];
    for (int j = 0; j < 12; j++) r -= 0.1 * x[i + j] * y[j];
    y[i] = r;
  }
  for (int i = 0; i < 12; i++) s += y[i] * (i + 1);
  return s;
}
DERIVED(substitution)

/* Numbers handed from row to row: behind the inner loop, in front of it, and as what its sum begins with. */
static double carried(const double *restrict x, int kind, int n) {
  double total = 0.5, scale = 1, s = 0;
  for (int i = 0; i < n; i++) {
    double r = kind == 1 ? total : 0;
    for (int j = 0; j < 10; j++) r += x[i + j] * x[j] * scale;
    total += 0.1 * sin(r);
    if (kind == 2) scale = 0.9 * scale + 0.01 * r;
    if (kind == 3) scale = scale * 0.95 + 0.01;
    s = r - 0.5 * s;
  }
  return total + s;
}
static double carried0(const double *x) { return carried(x, 0, 13); }
static double carried1(const double *x) { return carried(x, 1, 13); }
static double carried2(const double *x) { return carried(x, 2, 13); }
static double carried3(const double *x) { return carried(x, 3, 12); }
DERIVED(carried0)
DERIVED(carried1)
DERIVED(carried2)
DERIVED(carried3)

/* Two sums in a row, backwards, of floats, with rows one number apart. */
static double two(const double *restrict x, int n, int m) {
  float f[N];
  double s = 0;
  for (int i = 0; i < N; i++) f[i] = (float)(0.3 + 0.01 * i);
  for (int i = n - 1; i >= 0; i--) {
    double a = 0, b = 1;
    for (int j = m; j-- > 0;) a += x[i + j] * f[j], b -= 0.01 * a * x[j];
    s = a * b - 0.3 * s;
  }
  return s;
}
static double two9(const double *x) { return two(x, 9, 9); }
static double two24(const double *x) { return two(x, 24, 13); }
DERIVED(two9)
DERIVED(two24)

/* Steps, each of them a product; the number of columns is known only when it runs, and may be negative. */
static double steps(const double *restrict x, int n, int m, int count) {
  double *v = malloc(sizeof(double) * n), *w = malloc(sizeof(double) * n), s = 0;
  for (int i = 0; i < n; i++) v[i] = x[i], w[i] = 0;
  for (int k = 0; k < count; k++) {
    for (int i = 0; i < n; i++) {
      double r = 0;
      for (int j = 0; j < m; j++) r += x[(i + 2 * j) % 36 + 3] * v[j];
      w[i] = tanh(r);
    }
    for (int i = 0; i < n; i++) v[i] += 0.2 * w[i];
  }
  for (int i = 0; i < n; i++) s += v[i] * v[i];
  free(v), free(w);
  return s;
}
static double steps10(const double *x) { return steps(x, 10, 10, 3); }
static double steps8(const double *x) { return steps(x, 8, 7, 2); }
static double steps_none(const double *x) { return steps(x, 9, -3, 2); }
DERIVED(steps10)
DERIVED(steps8)
DERIVED(steps_none)

/* What a row writes is apart from what it reads, as its own pointers say; the rows that follow read it. */
static inline void row(double *restrict out, const double *restrict a, const double *restrict b, int m) {
  double r = 0.01;
  for (int j = 0; j < m; j++) r += a[j] * b[j];
  *out = r;
}
static double apart(const double *x, int from, int to, int step) {
  double w[N], s = 0;
  memcpy(w, x, sizeof w);
  for (int i = 0; i < 11; i++) row(w + to + i * step, w + 2 * i, w + from, 9);
  for (int i = 0; i < N; i++) s += w[i] * w[i] * (1 + i % 4);
  return s;
}
static double apart0(const double *x) { return apart(x, 30, 11, 1); }
static double apart1(const double *x) { return apart(x, 30, 9, 2); } /* one number behind each row: in those that follow */
static double apart2(const double *x) { return apart(x, 0, 29, 1); }
DERIVED(apart0)
DERIVED(apart1)
DERIVED(apart2)

/* The nearest of k places, each of m numbers, and which it is; without a place, and with the first alone. */
static inline double squared(const double *restrict a, const double *restrict b, int m) {
  double r = 0;
  for (int j = 0; j < m; j++) {
    double d = 1.1 * a[j] - b[j];
    r += d * d;
  }
  return r;
}
static double nearest(const double *restrict x, int n, int k, int m) {
  double s = 0;
  for (int i = 0; i < n; i++) {
    double least = squared(x, x + 20 + i, m);
    int which = 0;
    for (int c = 1; c < k; c++) {
      double other = squared(x + c, x + 20 + i, m) * (1 + 0.01 * c);
      if (other < least) least = other, which = c;
    }
    s += least * (1 + 0.1 * which) * (i + 1);
  }
  return s;
}
static double nearest0(const double *x) { return nearest(x, 5, 0, 9); }
static double nearest8(const double *x) { return nearest(x, 5, 8, 9); }
static double nearest9(const double *x) { return nearest(x, 5, 9, 9); }
static double nearest10(const double *x) { return nearest(x, 7, 10, 10); }
static double nearest19(const double *x) { return nearest(x, 5, 19, 9); }
DERIVED(nearest0)
DERIVED(nearest8)
DERIVED(nearest9)
DERIVED(nearest10)
DERIVED(nearest19)

int main(void) {
  double a[N], b[N];
  for (int i = 0; i < N; i++) a[i] = 0.3 + 0.05 * (i * 7 % 13), b[i] = 0.5 - 0.04 * (i * 5 % 17);
#define EACH(f) CHECK_DERIVED(f, a); CHECK_DERIVED(f, b)
  EACH(rows0); EACH(rows1); EACH(rows3); EACH(rows4); EACH(rows7); EACH(rows8); EACH(rows12); EACH(rows13); EACH(rows16);
  EACH(into_x); EACH(into_rows); EACH(behind_x); EACH(substitution); EACH(carried0); EACH(carried1); EACH(carried2);
  EACH(carried3); EACH(two9); EACH(two24); EACH(steps10); EACH(steps8); EACH(steps_none);
  EACH(apart0); EACH(apart1); EACH(apart2); EACH(nearest0); EACH(nearest8); EACH(nearest9); EACH(nearest10);
  EACH(nearest19); EACH(band17); EACH(band23); EACH(band31); EACH(band32);
  return check_done();
}
