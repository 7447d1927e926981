// reference: none (what is compared are the two modes of the engine)
/* Loops over triangles, bands and whole matrices that are stored by columns, and updates of matrices in place: the loops
 * of their reverse derivatives are exchanged. Forward mode leaves them as they are; for seeds s of all that is written
 * and directions v of all that is read, s . (J v) and (J^T s) . v agree. All arrays lie in one buffer, apart or not; each
 * loop is here twice, as this file includes itself: once it is promised that what is written is apart from the rest. */
#ifndef NAME
// heavy: many loops, which become several for vectors
#include "check.h"

#define MOST 300
#define SIZE (2 * MOST * (MOST + 3) + 4 * MOST)

typedef double d;
static d w[SIZE], dw[SIZE], vw[SIZE], in[SIZE], seed[SIZE], direction[SIZE];

static int used; /* of each buffer */

static d number(int i, int round) { return sin(1.3 * i + 0.7 * round + 0.1 * (i % 17)); }

static void compare(const char *name, int n, long s) {
  d left = 0, right = 0, size = 0;
  char label[80];
  for (int i = 0; i < used; i++) {
    left += seed[i] * vw[i], right += dw[i] * direction[i];
    size += fabs(seed[i] * vw[i]) + fabs(dw[i] * direction[i]);
  }
  snprintf(label, sizeof label, "%s, n = %d, stride %ld", name, n, s);
  check_close(label, 0, right, left, 1e-12 * size + 1e-13);
}

/* arrays begin at these places; the primal is run by the derivative itself */
#define TRY(f) \
  do { \
    d *a = w + p, *da = dw + p, *va = vw + p, *x = w + q, *dx = dw + q, *vx = vw + q, *y = w + r, *dy = dw + r, \
      *vy = vw + r; \
    memcpy(w, in, used * sizeof(d)), memcpy(dw, seed, used * sizeof(d)); \
    __enzyme_autodiff((void *)NAME(f), enzyme_dup, a, da, enzyme_dup, x, dx, enzyme_dup, y, dy, n, s); \
    memcpy(w, in, used * sizeof(d)), memcpy(vw, direction, used * sizeof(d)); \
    __enzyme_fwddiff((void *)NAME(f), enzyme_dup, a, va, enzyme_dup, x, vx, enzyme_dup, y, vy, n, s); \
    compare(#f, n, s); \
  } while (0)

#define Q
#define NAME(f) f
#include "triangle_loops.c"
#undef Q
#undef NAME
#define Q restrict
#define NAME(f) f##_apart
#include "triangle_loops.c"

static void all(int n, long s, int p, int q, int r) { products(n, s, p, q, r), updates(n, s, p, q, r); }
static void both(int n, long s, int p, int q, int r) {
  all(n, s, p, q, r), products_apart(n, s, p, q, r), updates_apart(n, s, p, q, r);
}

int main(void) {
  static const int sizes[] = {0, 1, 2, 7, 8, 9, 12, 33};
  for (int i = 0; i < SIZE; i++) in[i] = 0.5 * number(i, 0), seed[i] = number(i, 1), direction[i] = number(i, 2);
  for (int k = 0; k < COUNT(sizes); k++) {
    const int n = sizes[k], m = n * (n + 3) + 8;
    used = 2 * m + 3 * n + 1;
    both(n, n, 0, m, m + n);
    both(n, n + 3, m, 0, n);
    all(n, n, 0, m, m); /* the result on the vector */
    all(n, n, 0, m, m + 1); /* one beside it */
    all(n, n, 0, m + n / 2, m); /* half of it */
    all(n, n, 0, n / 2, m); /* the vector in the matrix */
    all(n, n + 1, 0, m, n); /* the result in the matrix */
    all(n, n, 0, 3, 4); /* all of them in one place */
    both(n, 1, 0, m, m + n); /* rows that overlap */
    both(n, n > 2 ? n - 2 : 1, 0, m, m + n);
    both(n, 0, 0, m, m + n);
    products_apart(n, n, 0, n / 2, m); /* only what is read overlaps */
    products_apart(n, n, n, 0, m);
    products_apart(n, n + 1, 1, 0, m);
    products_apart(n, n, 2, 0, m);
    both(n, -n, m, 0, 2 * m); /* rows that go backwards */
  }
  used = SIZE;
  both(257, 257, 0, 257 * 260, 257 * 261); /* more than are taken at a time */
  both(MOST, MOST + 1, 0, MOST * (MOST + 3), MOST * (MOST + 5));
  all(MOST, MOST, 0, MOST * (MOST + 3), MOST * (MOST + 3) + 100);
  check_value("ran", 1, 1, 1e-9);
  return check_done();
}
#else
static NOINLINE void NAME(lower)(const d *Q a, const d *Q x, d *Q y, int n, long s) {
  for (int i = 0; i < n; i++) {
    d t = 0;
    for (int j = 0; j <= i; j++) t += a[j * s + i] * x[j];
    y[i] = t;
  }
}
static NOINLINE void NAME(lower_strict)(const d *Q a, const d *Q x, d *Q y, int n, long s) {
  for (int i = 0; i < n; i++) {
    d t = 0;
    for (int j = 0; j < i; j++) t += a[j * s + i] * x[j];
    y[i] = t;
  }
}
static NOINLINE void NAME(upper)(const d *Q a, const d *Q x, d *Q y, int n, long s) {
  for (int i = 0; i < n; i++) {
    d t = 0;
    for (int j = i; j < n; j++) t += a[j * s + i] * x[j];
    y[i] = t / n;
  }
}
static NOINLINE void NAME(upper_strict)(const d *Q a, const d *Q x, d *Q y, int n, long s) {
  for (int i = 0; i < n; i++) {
    d t = 0;
    for (int j = i + 1; j < n; j++) t -= a[j * s + i] * x[j];
    y[i] = t;
  }
}
static NOINLINE void NAME(added)(const d *Q a, const d *Q x, d *Q y, int n, int s) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) y[i] += a[j * s + i] * x[j];
}
static NOINLINE void NAME(anti)(const d *Q a, const d *Q x, d *Q y, int n, long s) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n - i; j++) y[i] += a[j * s + i] * x[j];
}
static NOINLINE void NAME(backwards)(const d *Q a, const d *Q x, d *Q y, int n, long s) {
  const d *end = a + (n > 0 ? (n - 1) * s : 0);
  for (int i = n - 1; i >= 0; i--)
    for (int j = i; j >= 0; j--) y[n - 1 - i] += end[-j * s + i] * x[j];
}
static NOINLINE void NAME(shrinking)(const d *Q a, const d *Q x, d *Q y, int n, long s) {
  int m = n;
  for (int i = 0; i < n; i++, m--)
    for (int j = 0; j < m; j++) y[i] += a[j * s + i] * x[j] * x[i];
}
static NOINLINE void NAME(shrinking_twice)(const d *Q a, const d *Q x, d *Q y, int n, long s) {
  int m = n;
  for (int i = 0; i < n / 2; i++, m -= 2)
    for (int j = 0; j < m; j++) y[i] += a[j * s + i] * x[j];
}
static NOINLINE void NAME(changing)(const d *Q a, const d *Q x, d *Q y, int n, long s) {
  int m = n / 2; /* the bound changes in the loop that it bounds */
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      y[i] += a[j * s + i] * x[j];
      if (i == j && m < n) m++;
    }
}
static NOINLINE void NAME(band)(const d *Q a, const d *Q x, d *Q y, int n, long s) {
  for (int i = 0; i + 4 < n; i++)
    for (int j = i; j < i + 5; j++) y[i] += a[j * s + i] * x[j];
}
static NOINLINE void NAME(hankel)(const d *Q a, const d *Q x, d *Q y, int n, long s) {
  for (int i = 0; i < n / 2; i++)
    for (int j = 0; j < n / 2; j++) y[j] += a[(i + j) * s + i] * x[i];
}
static NOINLINE void NAME(packed)(const d *Q a, const d *Q x, d *Q y, int n, long s) {
  (void)s;
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) y[j] += a[i * (i + 1) / 2 + j] * x[i];
}
static NOINLINE void NAME(every_other)(const d *Q a, const d *Q x, d *Q y, int n, long s) {
  for (int i = 0; i < n; i += 2)
    for (int j = 0; j <= i; j++) y[i] += a[j * s + i] * x[j];
}
static NOINLINE void NAME(rank_one)(d *Q a, const d *Q x, const d *Q y, int n, long s) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) a[j * s + i] += x[i] * y[j];
}
static NOINLINE void NAME(symmetric)(d *Q a, const d *Q x, const d *Q y, int n, long s) {
  (void)y;
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) a[j * s + i] += x[i] * x[j];
}
static NOINLINE void NAME(outer_product)(d *Q a, const d *Q x, const d *Q y, int n, long s) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) a[j * s + i] = x[i] * y[j];
}
static NOINLINE void NAME(moved)(d *Q a, const d *Q x, d *Q y, int n, long s) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      a[j * s + i] = 0.5 * a[j * s + i] + x[i];
      y[j] += a[j * s + i];
    }
}
static NOINLINE void NAME(scaled)(d *Q a, const d *Q x, d *Q y, int n, long s) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      a[j * s + i] *= x[j];
      y[i] += 0.25 * a[j * s + i];
    }
}
static NOINLINE void NAME(solve)(const d *Q a, const d *Q x, d *Q y, int n, long s) {
  for (int i = 0; i < n; i++) {
    d t = x[i];
    for (int j = 0; j < i; j++) t -= a[j * s + i] * y[j];
    y[i] = t / (n + a[i * s + i]);
  }
}
static NOINLINE void NAME(solve_back)(const d *Q a, const d *Q x, d *Q y, int n, long s) {
  for (int i = n - 1; i >= 0; i--) {
    d t = x[i];
    for (int j = i + 1; j < n; j++) t -= a[j * s + i] * y[j];
    y[i] = t / (n + a[i * s + i]);
  }
}
static NOINLINE void NAME(solve_in_place)(const d *Q a, const d *Q x, d *Q y, int n, long s) {
  (void)x;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < i; j++) y[i] -= a[j * s + i] * y[j];
    y[i] /= n + a[i * s + i];
  }
}
static NOINLINE void NAME(gauss_seidel)(const d *Q a, const d *Q x, d *Q y, int n, long s) {
  for (int i = 0; i < n; i++) { /* uses new values in front of the diagonal, old ones behind it */
    d t = x[i];
    for (int j = 0; j < n; j++) t -= a[j * s + i] * y[j];
    y[i] = t / n;
  }
}
/* what is read, and when it is written again */
static NOINLINE void NAME(solve_gap)(const d *Q a, const d *Q x, d *Q y, int n, long s) {
  for (int i = 0; i < n; i++) {
    d t = x[i];
    for (int j = 0; j < i - 1; j++) t -= a[j * s + i] * y[j];
    y[i] = t / (n + a[i * s + i]);
  }
}
static NOINLINE void NAME(solve_ahead)(const d *Q a, const d *Q x, d *Q y, int n, long s) {
  for (int i = 0; i + 1 < n; i++) { /* writes the element behind the one that is next */
    d t = x[i];
    for (int j = 0; j < i; j++) t -= a[j * s + i] * y[j];
    y[i + 1] = t / n;
  }
}
static NOINLINE void NAME(solve_behind)(const d *Q a, const d *Q x, d *Q y, int n, long s) {
  for (int i = 1; i < n; i++) { /* reads what it overwrites */
    d t = x[i];
    for (int j = 0; j < i; j++) t -= a[j * s + i] * y[j];
    y[i - 1] = t / n;
  }
}
static NOINLINE void NAME(solve_with_diagonal)(const d *Q a, const d *Q x, d *Q y, int n, long s) {
  for (int i = 0; i < n; i++) {
    d t = x[i];
    for (int j = 0; j <= i; j++) t -= a[j * s + i] * y[j];
    y[i] = t / n;
  }
}
static NOINLINE void NAME(solve_twice_as_far)(const d *Q a, const d *Q x, d *Q y, int n, long s) {
  for (int i = 0; 2 * i < n; i++) { /* reads in front of what it writes, but for the first */
    d t = x[i];
    for (int j = 0; j < i; j++) t -= a[j * s + i] * y[j];
    y[2 * i] = t / n;
  }
}
static NOINLINE void NAME(solve_from_end)(const d *Q a, const d *Q x, d *Q y, int n, long s) {
  for (int i = 0; i < n; i++) {
    d t = x[i];
    for (int j = i - 1; j >= 0; j--) t -= a[j * s + i] * y[i - 1 - j];
    y[i] = t / n;
  }
}
static NOINLINE void NAME(solve_rounds)(const d *Q a, const d *Q x, d *Q y, int n, long s) {
  for (int round = 0; round < 3; round++) /* the next round overwrites what this one has read */
    for (int i = 0; i < n; i++) {
      d t = x[i] + round;
      for (int j = 0; j < i; j++) t -= a[j * s + i] * y[j];
      y[i] = t / (n + a[i * s + i]);
    }
}
static NOINLINE void NAME(solve_upward)(const d *Q a, const d *Q x, d *Q y, long n, long s) {
  for (long i = n - 1; i >= 0; i--) {
    d t = x[i];
    for (long j = i + 1; j < n; j++) t -= a[j * s + i] * y[j];
    y[i] = t / (n + a[i * s + i]);
  }
}
static NOINLINE void NAME(solve_by_columns)(const d *Q a, const d *Q x, d *Q y, int n, long s) {
  for (int i = 0; i < n; i++) y[i] = x[i];
  for (int j = 0; j < n; j++) { /* the inner loop writes, what is read is in front of that */
    y[j] /= n + a[j * s + j];
    for (int i = j + 1; i < n; i++) y[i] -= a[j * s + i] * y[j];
  }
}
static NOINLINE void NAME(solve_other_rows)(const d *Q a, const d *Q x, d *Q y, int n, long s) {
  for (int i = 0; i < n; i++) y[i] = x[i];
  for (int j = 0; j < n; j++) {
    y[j] /= n + a[j * s + j];
    for (int i = j + 1; i < n; i++) y[i] -= a[i * s + j] * y[j];
  }
}
/* nothing here asks for values of the primal, so that the loops are exchanged without a promise as well */
static NOINLINE void NAME(weighted)(const d *Q a, const d *Q x, d *Q y, int n, long s) {
  (void)x;
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) y[i] += (1 + j) * a[j * s + i];
}
static NOINLINE void NAME(gathered)(const d *Q a, const d *Q x, d *Q y, int n, long s) {
  for (int i = 0; i < n; i++) {
    d t = 0.5 * x[i];
    for (int j = i; j < n; j++) t += a[j * s + i] - 0.25 * x[j];
    y[i] = t;
  }
}
static NOINLINE void NAME(spread)(d *Q a, const d *Q x, const d *Q y, int n, long s) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) a[j * s + i] += 2 * x[i] + 3 * y[j];
}
static NOINLINE void NAME(filled)(d *Q a, const d *Q x, const d *Q y, int n, long s) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) a[j * s + i] = x[i] - y[j];
}
static NOINLINE void NAME(filled_triangle)(d *Q a, const d *Q x, const d *Q y, int n, long s) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) a[j * s + i] = x[i] - 2 * y[j];
}

static void NAME(products)(int n, long s, int p, int q, int r) {
  TRY(lower);
  TRY(lower_strict);
  TRY(upper);
  TRY(upper_strict);
  TRY(anti);
  TRY(backwards);
  TRY(shrinking);
  TRY(shrinking_twice);
  TRY(changing);
  TRY(band);
  TRY(hankel);
  TRY(packed);
  TRY(every_other);
  TRY(solve);
  TRY(solve_back);
  TRY(solve_in_place);
  TRY(gauss_seidel);
  TRY(solve_gap);
  TRY(solve_ahead);
  TRY(solve_behind);
  TRY(solve_with_diagonal);
  TRY(solve_twice_as_far);
  TRY(solve_from_end);
  TRY(solve_rounds);
  TRY(solve_by_columns);
  TRY(solve_other_rows);
  {
    const long whole = n;
    const long n = whole;
    TRY(solve_upward);
  }
  TRY(weighted);
  TRY(gathered);
  {
    const int whole = (int)s;
    const int s = whole;
    TRY(added);
  }
}
static void NAME(updates)(int n, long s, int p, int q, int r) {
  TRY(rank_one);
  TRY(symmetric);
  TRY(outer_product);
  TRY(moved);
  TRY(spread);
  TRY(filled);
  TRY(filled_triangle);
  TRY(scaled);
}
#endif
