/* Shadows that are cleared right in front of a derivative, whose loops then set them in place of adding to zeros. Each
 * function breaks one of the things that this needs, for lengths from nothing on that only the running program knows:
 * more or less is cleared than is added to, it is added to before, in other orders, by some iterations only, behind
 * branches; one shadow is that of two arrays, or a part of what the length is read from. */
#include "check.h"

#define N 24

struct at {
  int n;
  const double *x, *y;
  double *dx, *dy;
};

int sizes[] = {0, 1, 2, 3, 7, 8, 9, 16, 23, N}; /* read when the program runs */
int yes = 1;

#define FUNCTION(name, ...)                                                            \
  static double name##_of(const double *x, const double *y, int n) {                  \
    double s = 0;                                                                      \
    __VA_ARGS__                                                                        \
    return s;                                                                          \
  }

FUNCTION(products, for (int i = 0; i < n; i++) s += x[i] * x[i] * y[i];)
FUNCTION(downwards, for (int i = n - 1; i >= 0; i--) s += x[i] * y[i] * y[i];)
FUNCTION(shifted, for (int i = 1; i < n; i++) s += x[i] * x[i] * y[i - 1];)
FUNCTION(every_second, for (int i = 0; i < n / 2; i++) s += x[2 * i] * y[i] * x[2 * i];)
FUNCTION(some, for (int i = 0; i < n; i++) if (x[i] > 0.6) s += x[i] * x[i] * y[i];)
FUNCTION(decided, for (int i = 0; i < n; i++) s += (x[i] > 0.6 ? x[i] * x[i] : 0.3 * x[i]) * y[i];)
FUNCTION(behind_branch, if (y[0] < 0.7) for (int i = 0; i < n; i++) s += x[i] * x[i] * y[i];)
FUNCTION(twice, {
  for (int i = 0; i < n; i++) s += x[i] * x[i] * y[i];
  for (int i = 0; i < n - 1; i++) s += x[i] * x[i + 1];
})
FUNCTION(after_one, {
  for (int i = 0; i < n; i++) s += x[i] * x[i] * y[i];
  if (n > 2) s += s * x[2];
})
FUNCTION(rows, for (int i = 0; i < n / 8; i++) for (int j = 0; j < 8; j++) s += x[8 * i + j] * y[i] * y[j];)
FUNCTION(rows_apart, for (int i = 0; i < n / 8; i++) for (int j = 0; j < 7; j++) s += x[8 * i + j] * y[i];)
FUNCTION(columns, for (int j = 0; j < 8; j++) for (int i = 0; i < n / 8; i++) s += x[8 * i + j] * y[i] * y[j];)
FUNCTION(left_early, for (int i = 0; i < n; i++) {
  if (y[i] > 0.85) return s;
  s += x[i] * x[i] * y[i];
})
FUNCTION(left_before, {
  for (int i = 0; i < n; i++)
    if (y[i] > 0.85) return y[i];
  for (int i = 0; i < n; i++) s += x[i] * x[i] * y[i];
})
FUNCTION(two_ways, {
  if (n > 8)
    for (int i = 0; i < n; i++) s += x[i] * x[i] * y[i];
  else
    for (int i = 1; i < n; i++) s += x[i] * y[i] * y[i];
})
FUNCTION(around, {
  double m = 1;
  for (int i = 1; i < n; i++) m += y[i] * y[i - 1];
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < n; i++) s += x[i] * x[i] * m;
  if (n == 1) s += y[0];
})
FUNCTION(pairs, for (int i = 0; i < n / 2; i++) s += x[2 * i] * y[2 * i + 1] + x[2 * i + 1] * x[2 * i + 1];)
FUNCTION(half_pairs, for (int i = 0; i < (n + 1) / 2; i++) s += x[2 * i] * y[2 * i] * y[2 * i];)

#if ENGINE
#define ASK(name) __enzyme_autodiff((void *)name##_of, enzyme_dup, p->x, p->dx, enzyme_dup, p->y, p->dy, enzyme_const, p->n)
#else
#define ASK(name) by_differences(name##_of, p)
static void by_differences(double (*f)(const double *, const double *, int), struct at *p) {
  double *values[] = {(double *)p->x, (double *)p->y}, *shadows[] = {p->dx, p->dy}, h = 1e-3;
  for (int part = 0; part < 2; part++)
    for (int i = 0; i < (p->n < N ? p->n + 1 : p->n); i++) {
      double was = values[part][i], d[2];
      for (int k = 0; k < 2; k++) {
        double step = h / (1 + k), high, low;
        values[part][i] = was + step, high = f(p->x, p->y, p->n);
        values[part][i] = was - step, low = f(p->x, p->y, p->n);
        d[k] = (high - low) / (2 * step);
      }
      values[part][i] = was;
      shadows[part][i] += d[1] + (d[1] - d[0]) / 3;
    }
}
#endif

#define LENGTH(count) sizeof(double) * (size_t)(count)
#define PLAIN memset(p->dx, 0, LENGTH(p->n)); memset(p->dy, 0, LENGTH(p->n));

#define ASKED(name, how, ...) \
  static NOINLINE void name##_##how(struct at *p) { __VA_ARGS__ ASK(name); }
ASKED(products, plain, PLAIN)
ASKED(downwards, plain, PLAIN)
ASKED(shifted, plain, PLAIN)
ASKED(every_second, plain, PLAIN)
ASKED(some, plain, PLAIN)
ASKED(decided, plain, PLAIN)
ASKED(behind_branch, plain, PLAIN)
ASKED(twice, plain, PLAIN)
ASKED(after_one, plain, PLAIN)
ASKED(rows, plain, PLAIN)
ASKED(rows_apart, plain, PLAIN)
ASKED(columns, plain, PLAIN)
ASKED(left_early, plain, PLAIN)
ASKED(left_before, plain, PLAIN)
ASKED(two_ways, plain, PLAIN)
ASKED(around, plain, PLAIN)
ASKED(pairs, plain, PLAIN)
ASKED(half_pairs, plain, PLAIN)
ASKED(products, more, memset(p->dx, 0, LENGTH(p->n + 1)); memset(p->dy, 0, LENGTH(p->n + 1));)
ASKED(products, less, if (p->n < 1) return; memset(p->dx, 0, LENGTH(p->n - 1)); memset(p->dy + 1, 0, LENGTH(p->n - 1));)
ASKED(products, some_rows, PLAIN for (int i = 0; i < p->n / 2; i++) p->dx[2 * i] = 1 + i;)
ASKED(products, perhaps, if (yes) memset(p->dx, 0, LENGTH(p->n)); if (p->n > 7) memset(p->dy, 0, LENGTH(p->n));)
ASKED(products, one_changed, PLAIN if (p->n > 1) p->dx[1] = 3; if (p->n > 2) p->dy[2] += p->dx[1];)
ASKED(products, again, PLAIN ASK(products); memset(p->dx, 0, LENGTH(p->n));)
ASKED(rows, elsewhere, double *d = p->dx; p->dx = p->dy; PLAIN p->dx = d; memset(p->dx, 0, LENGTH(p->n));)

static NOINLINE void decided_in_loop(struct at *p) {
  for (int k = 0; k < 3; k++) {
    PLAIN
    ASK(decided);
    p->dx[0] *= 2;
  }
}

/* A row of the gradient for each number of elements, rows side by side, and what they add to each other. */
static NOINLINE void of_rows(const double *x, const double *y, double *d, double *both, int rows, int n) {
  for (int r = 0; r < rows; r++) {
    struct at at = {n, x + r, y, d + (size_t)r * n, both}, *p = &at;
    memset(d + (size_t)r * n, 0, LENGTH(n));
    ASK(products);
  }
}

static NOINLINE void of_triangle(const double *x, const double *y, double *d, double *both, int rows) {
  for (int r = 0; r < rows; r++) {
    struct at at = {r, x, y, d + r * rows, both}, *p = &at;
    memset(p->dx, 0, LENGTH(p->n));
    ASK(decided);
  }
}

typedef void (*asked_fn)(struct at *);
typedef double (*of_fn)(const double *, const double *, int);

/* One derivative on garbage, against the derivative where each shadow is cleared far away from it. */
static double room[8 * N + 16];

static void fill(void) {
  for (int i = 0; i < COUNT(room); i++) room[i] = 0.4 + 0.5 * sin(1.0 + 1.7 * i) + (i >= 2 * N ? 5 : 0);
}

static NOINLINE double slope(of_fn f, double *x, int part, int i, int n) {
  double *at = x + part * N + i, was = *at, h = 1e-3, d[2];
  for (int k = 0; k < 2; k++) {
    double step = h / (1 + k), high, low;
    *at = was + step, high = f(x, x + N, n);
    *at = was - step, low = f(x, x + N, n);
    d[k] = (high - low) / (2 * step);
  }
  *at = was;
  return d[1] + (d[1] - d[0]) / 3;
}

/* What the caller has left in a shadow when the derivative is asked for; ``base`` gives it. */
typedef double (*base_fn)(int part, int i, int n, double before);
static double cleared(int part, int i, int n, double before) { return i < n ? 0 : before; }
static double cleared_more(int part, int i, int n, double before) { return i < n + 1 ? 0 : before; }
static double cleared_less(int part, int i, int n, double before) {
  return part == 0 ? (i < n - 1 ? 0 : before) : (i >= 1 && i < n ? 0 : before);
}
static double some_rows(int part, int i, int n, double before) {
  return part == 0 && i % 2 == 0 && i < n / 2 * 2 ? 1 + i / 2 : cleared(part, i, n, before);
}
static double perhaps(int part, int i, int n, double before) {
  return part == 1 && n <= 7 ? before : cleared(part, i, n, before);
}
static double one_changed(int part, int i, int n, double before) {
  if (part == 0 && i == 1 && n > 1) return 3;
  return part == 1 && i == 2 && n > 2 ? 3 : cleared(part, i, n, before);
}

static void check_apart(const char *name, of_fn f, asked_fn asked, base_fn base) {
  for (int k = 0; k < COUNT(sizes); k++) {
    int n = sizes[k];
    fill();
    double *dx = room + 2 * N + 1, *dy = room + 4 * N, was[2][N + 2];
    for (int i = 0; i < N + 2; i++) was[0][i] = dx[i], was[1][i] = dy[i];
    struct at p = {n, room, room + N, dx, dy};
    asked(&p);
    if (base == cleared_less && n < 1) continue;
    for (int part = 0; part < 2; part++)
      for (int i = 0; i < N + 1; i++) {
        double expected = base(part, i, n, was[part][i]) + (i < N ? slope(f, room, part, i, n) : 0);
        check_close(name, 100 * n + 50 * part + i, (part ? dy : dx)[i], expected, 1e-8);
      }
  }
}

/* Both derivatives go to one shadow, which is cleared twice, or to shadows that overlap. */
static void check_shared(const char *name, of_fn f, asked_fn asked, int distance) {
  for (int k = 0; k < COUNT(sizes); k++) {
    int n = sizes[k];
    fill();
    double *dx = room + 3 * N, *dy = dx + distance, expected[2 * N] = {0};
    struct at p = {n, room, room + N, dx, dy};
    for (int i = 0; i < n; i++) {
      expected[N / 2 + i] += slope(f, room, 0, i, n);
      expected[N / 2 + i + distance] += slope(f, room, 1, i, n);
    }
    asked(&p);
    for (int i = 0; i < n; i++) {
      check_close(name, 100 * n + i, dx[i], expected[N / 2 + i], 1e-8);
      check_close(name, 100 * n + 50 + i, dy[i], expected[N / 2 + i + distance], 1e-8);
    }
  }
}

/* The last element that is cleared is the length itself: the derivative is that of no elements. */
static void check_length_cleared(void) {
  union { double numbers[N + 8]; struct at p; } both[2];
  memset(both, 0, sizeof both);
  double *last = (double *)&both[1];
  int n = 8;
  struct at *p = &both[1].p;
  *p = (struct at){n, room, room + N, last - n + 1, room + 4 * N};
  fill();
  for (int i = 1; i < n; i++) last[-i] = 7;
  products_plain(p);
  for (int i = 1; i < n; i++) check_close("length", i, last[-i], 0, 0);
  check_close("length", 0, p->n, 0, 0);
}

static NOINLINE void doubled(void) {
  for (int k = 0; k < COUNT(sizes); k++) {
    int n = sizes[k];
    fill();
    double *dx = room + 2 * N + 1, *dy = room + 4 * N;
    struct at p = {n, room, room + N, dx, dy};
    if (n < 1) continue;
    decided_in_loop(&p);
    for (int i = 0; i < n; i++) check_close("doubled", 100 * n + i, dx[i], slope(decided_of, room, 0, i, n) * (i ? 1 : 2), 1e-8);
    products_again(&p);
    for (int i = 0; i < n; i++) check_close("again", 100 * n + i, dx[i], slope(products_of, room, 0, i, n), 1e-8);
    for (int i = 0; i < n; i++) check_close("both", 100 * n + i, dy[i], 2 * slope(products_of, room, 1, i, n), 1e-8);
    rows_elsewhere(&p);
    for (int i = 0; i < n; i++) check_close("elsewhere", 100 * n + i, dx[i], slope(rows_of, room, 0, i, n), 1e-8);
  }
}

static NOINLINE void check_rows(void) {
  for (int k = 0; k < COUNT(sizes) - 1; k++) {
    int n = sizes[k], rows = N - n < 5 ? N - n : 5;
    if (n * rows > 2 * N) continue;
    fill();
    double *d = room + 3 * N, both[N + 1] = {0}, sums[N] = {0};
    of_rows(room, room + N, d, both, rows, n);
    for (int r = 0; r < rows; r++)
      for (int i = 0; i < n; i++) {
        double x = room[r + i], y = room[N + i];
        check_close("rows", 1000 * n + 100 * r + i, d[r * n + i], 2 * x * y, 1e-12);
        sums[i] += x * x;
      }
    for (int i = 0; i < n; i++) check_close("both", 100 * n + i, both[i], sums[i], 1e-12);
    memset(both, 0, sizeof both);
    if (n > 8) continue;
    of_triangle(room, room + N, d, both, n);
    for (int r = 0; r < n; r++)
      for (int i = 0; i < r; i++) {
        double slope = room[i] > 0.6 ? 2 * room[i] : 0.3;
        check_close("triangle", 1000 * n + 100 * r + i, d[r * n + i], slope * room[N + i], 1e-12);
      }
  }
}

#define APART(name) check_apart(#name, name##_of, name##_plain, cleared)
int main(void) {
  APART(products);
  APART(downwards);
  APART(shifted);
  APART(every_second);
  APART(some);
  APART(decided);
  APART(behind_branch);
  APART(twice);
  APART(after_one);
  APART(rows);
  APART(rows_apart);
  APART(columns);
  APART(left_early);
  APART(left_before);
  APART(two_ways);
  APART(around);
  APART(pairs);
  APART(half_pairs);
  check_apart("more", products_of, products_more, cleared_more);
  check_apart("less", products_of, products_less, cleared_less);
  check_apart("some rows", products_of, products_some_rows, some_rows);
  check_apart("perhaps", products_of, products_perhaps, perhaps);
  check_apart("one changed", products_of, products_one_changed, one_changed);
  int distances[] = {0, 1, 3, 8, -1, -5};
  for (int k = 0; k < COUNT(distances); k++) {
    check_shared("one shadow", products_of, products_plain, distances[k]);
    check_shared("one shadow", downwards_of, downwards_plain, distances[k]);
    check_shared("one shadow", rows_of, rows_plain, distances[k]);
  }
  check_length_cleared();
  doubled();
  check_rows();
  return check_done();
}
