/* Lanes side by side: memory of the function's own, reached in every way whose meaning is known, and some whose is not. */
// heavy: functions in lanes are much code
#define WIDTH_A 5
#define WIDTH_B 8
#include "vector.h"

struct pair {
  double left, right[2];
};
static NOINLINE double bend(double a, double b) { return sin(a) * b + a; }
static NOINLINE double total(const double *a, int n) { /* memory of others */
  double s = 0;
  for (int i = 0; i < n; i++) s += a[i] * a[i];
  return s;
}

/* Two arrays that take turns, so that each address is one of two. */
static NOINLINE double turns(const double *x, int n) {
  double *from = (double *)malloc(n * sizeof *from), *to = (double *)calloc(n, sizeof *to);
  double *first = from, *second = to;
  for (int i = 0; i < n; i++) from[i] = x[i] * (1 + 0.1 * i);
  for (int step = 0; step < 5; step++) {
    for (int i = 0; i < n; i++) to[i] = 0.5 * from[i] + 0.25 * sin(from[(i + 1) % n]) * to[i];
    double *kept = from;
    from = to;
    to = kept;
  }
  double s = 0;
  const double *better = x[0] > 0 ? first : second;
  for (int i = 0; i < n; i++) s += from[i] * better[n - 1 - i];
  free(first);
  free(second);
  return s;
}

/* Structs, rows of matrices, and steps by a pointer that moves. */
static NOINLINE double places(const double *x, int n, int k) {
  struct pair pairs[4];
  double matrix[3][4];
  for (int i = 0; i < 4; i++) {
    pairs[i].left = x[i] * x[i + 1];
    pairs[i].right[0] = exp(0.1 * x[i]);
    pairs[i].right[1] = x[(i * k) % n];
  }
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 4; j++) matrix[i][j] = pairs[j].left * pairs[i].right[(i + j + k) % 2];
  matrix[k % 3][k % 4] = 1.5;
  double s = 0;
  for (const double *at = &matrix[0][0], *end = at + 12; at < end; at += 2) s += at[0] * at[1] + (at[1] > 1 ? at[0] : -at[1]);
  return s + pairs[k % 4].right[k % 2];
}

/* Fills and block copies: whole, in part, onto itself, and of memory that has no derivative. */
static NOINLINE double blocks(const double *x, int n) {
  static const double known[4] = {0.5, 0.25, 2, 4};
  double *a = (double *)malloc(2 * n * sizeof *a), b[8];
  for (int i = 0; i < 2 * n; i++) a[i] = x[i % n] * (i + 1);
  memcpy(b, a + 3, 8 * sizeof *b);
  memset(a, 0, 3 * sizeof *a);
  memmove(a + 1, a, (n + 2) * sizeof *a);
  for (int i = 0; i < 8; i++) b[i] = b[i] * b[i] * 0.01 + a[i];
  memcpy(b + 2, known, sizeof known);
  double s = 0;
  for (int i = 0; i < 8; i++) s += b[i] * a[n - i] * 0.1;
  free(a);
  return s;
}

/* What a block holds is read as something else, or is given away: its lanes stay apart. */
static NOINLINE double apart(const double *x, int n) {
  union {
    double d[2];
    unsigned long long bits[2];
  } both;
  double *given = (double *)malloc(n * sizeof *given);
  for (int i = 0; i < n; i++) given[i] = x[i] + 1;
  double s = total(given, n);
  free(given);
  both.d[0] = x[2] * s;
  both.bits[1] = both.bits[0];
  return both.d[1] + both.d[0];
}

/* Either of two arrays, one of which has no derivative, in memory that was somebody else's before. */
static NOINLINE double either(const double *x, int n, int which) {
  double *moving = (double *)malloc(n * sizeof *moving), *still = (double *)malloc(n * sizeof *still), s = 0;
  for (int i = 0; i < n; i++) {
    moving[i] = x[i] * x[i];
    still[i] = 0.1 * i;
  }
  for (int i = 0; i < n; i++) {
    const double *one = i % 3 == which ? moving : still;
    s += sin(one[i]) * one[n - 1 - i];
  }
  free(moving);
  free(still);
  return s;
}
static NOINLINE void spoil(void) {
  void *kept[40];
  for (int i = 0; i < 40; i++) memset(kept[i] = malloc(64 + 64 * i), 0xff, 64 + 64 * i);
  for (int i = 0; i < 40; i++) free(kept[i]);
}

static REAL subject(REAL *x, int n) {
  spoil();
  double s = either(x, n, 0) + either(x, n, 2) + turns(x, n) + places(x, n, 2) + places(x, n, 5) + blocks(x, n);
  double rows[8], *big = (double *)malloc(64 * n * sizeof *big);
  for (int i = 0; i < n; i++) rows[i] = bend(x[i], x[(i + 3) % n]);
  for (int i = 0; i < 64 * n; i++) big[i] = 0.01 * i;
  for (int k = 0; k < n; k++)
    for (int i = 0; i < 8 * n; i++) big[8 * i + (k & 7)] += rows[k] * (0.1 + (i & 3));
  for (int i = 0; i < n; i++) x[i] = big[64 * i + i] * 0.1 + rows[(i + 1) % n];
  free(big);
  return s + apart(x, n) * 0.01;
}
