/* Kernels over arrays of which nothing is promised, given arrays that are apart, side by side, that overlap by one number
 * or by all, or that are one; with loops of no round, of one, and of several, up and down, triangles, early ends, walking
 * pointers, block copies, strides that no memory has, and arrays that a struct holds, which a kernel may change as it
 * goes. A derivative that takes arrays for apart where they are not is wrong in each of them. */
// heavy: many loops, which become several for vectors
#include "check.h"

#include <sys/mman.h>
#include <unistd.h>

#define POOL 40

/* What no compiler knows. */
static volatile int given_a, given_x, given_y, given_n, given_m;
static volatile long given_row;
static int index_of[POOL];

struct held {
  double *w, *b;
  long n, m;
  long ends[2];
  double scale;
  long done;
};

static NOINLINE double rows(double *a, double *x, double *y, int n, int m, long row) {
  for (int i = 0; i < n; i++) {
    double s = 0;
    for (int j = 0; j < m; j++) s += a[i * row + j] * x[j] * x[j];
    y[i] = sin(s);
  }
  return 0;
}
static NOINLINE double columns(double *a, double *x, double *y, int n, int m, long row) {
  for (int i = 0; i < n; i++) y[i] = 0;
  for (int j = 0; j < m; j++)
    for (int i = 0; i < n; i++) y[i] += a[i * row + j] * x[j] * x[j];
  return 0;
}
static NOINLINE double outer(double *a, double *x, double *y, int n, int m, long row) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) a[i * row + j] += 0.2 * x[j] * y[i] * a[i * row + j];
  return 0;
}
static NOINLINE double triangle(double *a, double *x, double *y, int n, int m, long row) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i && j < m; j++) y[i] += 0.3 * a[i * row + j] * x[j] * y[j];
  return 0;
}
/* Neighbours, and results beside them: into an array that is only written, at both ends of a step, and where two steps
 * come together. */
static NOINLINE double beside(double *a, double *x, double *y, int n, int m, long row) {
  for (int i = 0; i < n; i++) y[i] = x[i + 1] * x[i] * x[i] * a[0];
  for (int i = 0; i + 1 < n; i++) a[1] += 0.1 * y[i] * y[i + 1] * x[m];
  return 0;
}
static NOINLINE double both_ends(double *a, double *x, double *y, int n, int m, long row) {
  for (int i = 0; i + 1 < n; i++) {
    double d = x[i + 1] - x[i], g = 2 * d + d * d * d;
    y[i] += g, y[i + 1] -= g;
  }
  for (int i = 0; i + 3 < m + n; i++) a[i] += 0.3 * a[i + 1] * a[i + 2] * y[0];
  return 0;
}
static NOINLINE double together(double *a, double *x, double *y, int n, int m, long row) {
  for (int i = n - 1; i >= 1; i--) y[i] = sin(x[i - 1] * x[i + 1]) + y[i] * y[i] * x[i];
  for (int i = 0; i < m; i++) y[i] -= 0.5 * a[i] * a[i + 2] + a[i + 3] * y[i];
  return 0;
}
static NOINLINE double neighbours(double *a, double *x, double *y, int n, int m, long row) {
  for (int i = 0; i + 1 < n; i++) y[i] = sin(a[i] * a[i + 1]) * x[i] * x[i + 1] + y[i] * x[i];
  return 0;
}
static NOINLINE double below(double *a, double *x, double *y, int n, int m, long row) {
  for (int i = 0; i < n; i++) {
    double s = x[i];
    for (int j = 0; j < i; j++) s -= 0.4 * a[i * row + j] * y[j];
    y[i] = s / (2 + a[i * row] * a[i * row]);
  }
  return 0;
}
static NOINLINE double backwards(double *a, double *x, double *y, int n, int m, long row) {
  for (int i = n - 1; i >= 0; i--) {
    y[n - 1 - i] = a[i] * x[i] * x[i];
    for (int j = m - 1; j >= 0; j--) y[i] -= 0.1 * x[m - 1 - j] * a[j];
  }
  return 0;
}
static NOINLINE double ends_early(double *a, double *x, double *y, int n, int m, long row) {
  for (int step = 0; step < 2; step++)
    for (int i = 0; i < n; i++) {
      if (x[i] > 0.85) break;
      y[i] = a[i] * x[i] * x[i];
    }
  return 0;
}
static NOINLINE double walks(double *a, double *x, double *y, int n, int m, long row) {
  double *to = y, *end = x + n;
  for (double *p = x; p != end; p++) {
    *to = *p * *a * 0.7 + *to * *to;
    to++, a++;
  }
  return 0;
}
static NOINLINE double every_other(double *a, double *x, double *y, int n, int m, long row) {
  for (int step = 0; step < 2; step++)
    for (int i = 0; i + 1 < n; i += 2) y[i] = x[i] * x[i + 1] * a[i], y[i + 1] = 0.5 * x[i] * a[i + 1];
  return 0;
}
static NOINLINE double blocks(double *a, double *x, double *y, int n, int m, long row) {
  double s = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) s += x[i] * x[j] * a[i];
  memmove(y, x, sizeof(double) * n);
  for (int i = 0; i < n; i++) y[i] *= a[i] * s;
  memset(x, 0, sizeof(double) * m);
  return s;
}
static NOINLINE double gathers(double *a, double *x, double *y, int n, int m, long row) {
  for (int i = 0; i < n; i++) y[i] = x[index_of[i]] * a[i] * x[i];
  return 0;
}
static NOINLINE double both(double *a, double *x, double *y, int n, int m, long row) {
  for (int step = 0; step < 2; step++) {
    for (int i = 0; i < n; i++) y[i] = x[i] * a[i] * x[i];
    for (int i = 0; i < n; i++) x[i] = 0.5 * y[i] * y[i] + a[i];
  }
  return 0;
}
static NOINLINE double total(double *a, double *x, double *y, int n, int m, long row) {
  double s = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) s += sin(a[i * row + j] * x[j]);
  y[0] = s;
  return s * s;
}
static NOINLINE double ahead(double *a, double *x, double *y, int n, int m, long row) {
  for (int step = 0; step < 2; step++)
    for (int i = 0; i < n; i++) a[i] *= x[i], y[i + 1] = a[i] * y[i], x[i] = y[i + 1];
  return a[0];
}
static NOINLINE double restricted(double *restrict a, double *x, double *restrict y, int n, int m, long row) {
  for (int i = 0; i < n; i++) x[i] = a[i] * x[i] * x[i];
  for (int i = 0; i < m; i++) x[i] += y[i] * y[i];
  return 0;
}
static NOINLINE double one_more(double *a, int i) { return a[i] * a[i]; }
static NOINLINE double calls(double *a, double *x, double *y, int n, int m, long row) {
  for (int i = 0; i < n; i++) y[i] = one_more(x, i) * a[i];
  return 0;
}

/* With m = 0, m - 1 is more than n. */
static NOINLINE double unsigned_ends(double *a, double *x, double *y, int n, int m, long row) {
  size_t last = (size_t)m - 1;
  for (size_t i = 0; i < (size_t)n; i++)
    for (size_t j = 0; j <= i && j < last; j++) y[j] += 0.2 * x[j] * a[i] * y[j];
  return 0;
}
static NOINLINE double strides(double *a, double *x, double *y, int n, int m, long row) {
  if (n < 1 || (n == 1 && m > 0)) return 0;
  for (int i = 0; i < m; i += n - 1) y[i] = x[i] * a[i] * x[0]; /* with n = 1 there is none, and a step of zero */
  return 0;
}

/* The struct's own arrays. */
static NOINLINE double of_struct(struct held *l, double *x, double *y) {
  for (long i = 0; i < l->n; i++) {
    double s = l->b[i];
    for (long j = 0; j < l->m; j++) s += l->w[i * l->m + j] * x[j] * x[j];
    y[i] = tanh(s) * l->scale;
  }
  return 0;
}
/* Changes what ends its loop. */
static NOINLINE double counts(struct held *l, double *x, double *y) {
  for (long i = 0; i < l->n; i++) {
    y[i] = l->w[i] * x[i] * x[i];
    l->done = i;
    if (x[i] > 0.8) l->n--;
  }
  return 0;
}
/* The same, through another pointer, which may lead there. */
static NOINLINE double counts_elsewhere(struct held *l, double *x, double *y, long *count) {
  for (long i = 0; i < l->n; i++) {
    y[i] = l->w[i] * x[i] * x[i];
    *count = 2;
  }
  return 0;
}
/* Changes which array is read. */
static NOINLINE double swaps(struct held *l, double *x, double *y, double **other) {
  for (long i = 0; i < l->n; i++) {
    y[i] = l->w[i] * x[i] * x[i];
    *other = x;
  }
  return 0;
}

/* The same, as its own member; which one, no compiler knows. */
static NOINLINE double moves(struct held *l, double *x, double *y, long n, long which) {
  for (long i = 0; i < n; i++) {
    y[i] = l->w[i + l->ends[1]] * x[i] * x[i];
    l->ends[which] = 1;
  }
  return 0;
}

/* A number goes by way of an integer. */
static NOINLINE double bits(struct held *l, double *x, double *y) {
  uint64_t raw;
  memcpy(&raw, &l->scale, sizeof raw);
  for (long i = 0; i < l->n; i++) y[i] = l->w[i] * x[i] * x[i];
  memcpy(&y[1], &raw, sizeof raw);
  return 0;
}

/* Buffers that take turns: of one array, of two, and one that is chosen once. */
static NOINLINE double turns(double *a, double *x, double *y, int n, int m, long row) {
  double *was = a, *now = a + m;
  for (int t = 0; t < n; t++) {
    for (int i = 1; i < m; i++) now[i] = 0.4 * now[i] + 0.2 * was[i] * x[i] * x[i - 1] + 0.1 * was[i - 1];
    double *old = was;
    was = now, now = old;
  }
  return 0;
}
static NOINLINE double turns_of_two(double *a, double *x, double *y, int n, int m, long row) {
  double *was = x, *now = y;
  for (int t = 0; t < n; t++) {
    for (int i = 0; i < m; i++) now[i] = 0.4 * now[i] + 0.2 * was[i] * a[i] * a[t];
    double *old = was;
    was = now, now = old;
  }
  return 0;
}
static NOINLINE double one_of_two(double *a, double *x, double *y, int n, int m, long row) {
  double *to = row > 3 ? y : x + 1;
  for (int t = 0; t < n; t++)
    for (int i = 0; i < m; i++) to[i] = 0.4 * to[i] + 0.2 * to[t] * a[i] * a[t];
  return 0;
}
/* with one of the function's own */
static NOINLINE double own_turns(double *a, double *x, double *y, int n, int m, long row) {
  double own[8] = {0.3, 0.1, 0.2, 0.5}, *was = x, *now = own;
  for (int t = 0; t < n; t++) {
    for (int i = 0; i < m; i++) now[i] = 0.4 * now[i] + 0.2 * was[i] * a[i] * a[t];
    double *old = was;
    was = now, now = old;
  }
  return own[0] * own[1];
}
/* Members of the struct take turns in being changed. */
static NOINLINE double moves_in_turn(struct held *l, double *x, double *y, long n) {
  long *one = &l->done, *other = &l->ends[1];
  for (long i = 0; i < n; i++) {
    y[i] = l->w[i + l->ends[1]] * x[i] * x[i];
    *one = 1;
    long *old = one;
    one = other, other = old;
  }
  return 0;
}

static double weighted(const double *pool, double s) {
  for (int i = 0; i < POOL; i++) s += pool[i] * (0.3 + 0.05 * i) + 0.1 * pool[i] * pool[i];
  return s;
}
#define OBJECTIVE(kernel)                                                                              \
  static double kernel##_of(const double *x) {                                                         \
    double pool[POOL];                                                                                 \
    memcpy(pool, x, sizeof pool);                                                                      \
    double s = kernel(pool + given_a, pool + given_x, pool + given_y, given_n, given_m, given_row);    \
    return weighted(pool, s);                                                                          \
  }                                                                                                    \
  DERIVED(kernel##_of)
OBJECTIVE(rows)
OBJECTIVE(columns)
OBJECTIVE(outer)
OBJECTIVE(triangle)
OBJECTIVE(beside)
OBJECTIVE(both_ends)
OBJECTIVE(together)
OBJECTIVE(below)
OBJECTIVE(backwards)
OBJECTIVE(ends_early)
OBJECTIVE(walks)
OBJECTIVE(every_other)
OBJECTIVE(blocks)
OBJECTIVE(gathers)
OBJECTIVE(both)
OBJECTIVE(total)
OBJECTIVE(ahead)
OBJECTIVE(restricted)
OBJECTIVE(calls)
OBJECTIVE(unsigned_ends)
OBJECTIVE(strides)
OBJECTIVE(turns)
OBJECTIVE(turns_of_two)
OBJECTIVE(one_of_two)
OBJECTIVE(own_turns)

#define STRUCT(kernel, ...)                                                                            \
  static double kernel##_of(const double *x) {                                                         \
    double pool[POOL];                                                                                 \
    memcpy(pool, x, sizeof pool);                                                                      \
    struct held l = {pool + given_a, pool + given_a + 2, given_n, given_m, {given_n, given_m}, x[POOL - 1], 0};            \
    double s = kernel(&l, pool + given_x, pool + given_y __VA_ARGS__);                                 \
    return weighted(pool, s) + 0.01 * l.done;                                                          \
  }                                                                                                    \
  DERIVED(kernel##_of)
static long elsewhere;
static double *nowhere;
STRUCT(of_struct)
STRUCT(counts)
STRUCT(bits)
STRUCT(counts_elsewhere, , given_row > 3 ? &l.n : &elsewhere)
STRUCT(moves, , given_n, given_row > 3)
STRUCT(moves_in_turn, , given_n)
STRUCT(swaps, , given_row > 3 ? &l.w : &nowhere)

#define EACH(DO)                                                                                       \
  DO(rows) DO(columns) DO(outer) DO(triangle) DO(beside) DO(both_ends) DO(together) DO(below) DO(backwards) DO(ends_early) DO(walks) DO(every_other) DO(blocks) \
  DO(gathers) DO(both) DO(total) DO(ahead) DO(restricted) DO(calls) DO(unsigned_ends) DO(strides) DO(of_struct) DO(counts) DO(counts_elsewhere) DO(swaps) DO(moves) DO(bits) \
  DO(turns) DO(turns_of_two) DO(one_of_two) DO(own_turns) DO(moves_in_turn)

/* Two arrays with one shadow: what is added there is the sum of both gradients. */
static NOINLINE double product(const double *a, const double *x, double *y, int n) {
  for (int i = 0; i < n; i++) {
    double s = 0;
    for (int j = 0; j < n; j++) s += a[j] * x[j] * x[i];
    y[i] = s;
  }
  return 0;
}
#ifndef REFERENCE
static void one_shadow(void) {
  double a[3] = {0.3, -0.2, 0.7}, x[3] = {0.5, 0.9, -0.4}, y[3], da[3] = {0}, dx[3] = {0}, dy[3] = {1, 0.5, -0.2};
  double shared[3] = {0}, again[3] = {1, 0.5, -0.2}, twice[3] = {0}, third[3] = {1, 0.5, -0.2};
  __enzyme_autodiff((void *)product, enzyme_dup, a, da, enzyme_dup, x, dx, enzyme_dup, y, dy, enzyme_const, 3);
  __enzyme_autodiff((void *)product, enzyme_dup, a, shared, enzyme_dup, x, shared, enzyme_dup, y, again, enzyme_const, 3);
  for (int i = 0; i < 3; i++) check_close("one shadow", i, shared[i], da[i] + dx[i], 1e-13);
  double alone[3] = {0}, other[3] = {0}, seed[3] = {1, 0.5, -0.2};
  __enzyme_autodiff((void *)product, enzyme_dup, x, alone, enzyme_dup, x, other, enzyme_dup, y, seed, enzyme_const, 3);
  __enzyme_autodiff((void *)product, enzyme_dup, x, twice, enzyme_dup, x, twice, enzyme_dup, y, third, enzyme_const, 3);
  for (int i = 0; i < 3; i++) check_close("one array", i, twice[i], alone[i] + other[i], 1e-13);
}
/* A matrix and a vector that are apart and only read, with shadows that are not: long enough for vectors. */
#define LONG 37
static void shadows_overlap(const char *name, void *kernel) {
  static double a[LONG * LONG], x[LONG], y[LONG], da[LONG * LONG], dx[LONG], both[LONG * LONG], dy[LONG];
  for (int at = 0; at < 2; at++) {
    memset(da, 0, sizeof da), memset(dx, 0, sizeof dx), memset(both, 0, sizeof both);
    for (int i = 0; i < LONG * LONG; i++) a[i] = 0.1 * sin(i);
    for (int i = 0; i < LONG; i++) x[i] = cos(i), y[i] = 0.2, dy[i] = 0.5 + 0.1 * i;
    __enzyme_autodiff(kernel, enzyme_dup, a, da, enzyme_dup, x, dx, enzyme_dup, y, dy, LONG, LONG, (long)LONG);
    for (int i = 0; i < LONG; i++) y[i] = 0.2, dy[i] = 0.5 + 0.1 * i;
    double *upon = both + (at ? 2 * LONG + 5 : 0);
    __enzyme_autodiff(kernel, enzyme_dup, a, both, enzyme_dup, x, upon, enzyme_dup, y, dy, LONG, LONG, (long)LONG);
    for (int i = 0; i < LONG; i++) da[upon - both + i] += dx[i];
    for (int i = 0; i < LONG * LONG; i++) check_close(name, i, both[i], da[i], 1e-12);
  }
}
#endif
/* What is not read where there is no round of a loop need not be there: the struct goes over the end of its page. */
#ifndef REFERENCE
static void at_the_end_of_a_page(void) {
  long page = sysconf(_SC_PAGESIZE);
  char *pages = mmap(0, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED || mprotect(pages + page, page, PROT_NONE)) return;
  struct held *l = (struct held *)(pages + page - 24);
  double x[2] = {0.5, 0.4}, dx[2] = {0}, y[2] = {0}, dy[2] = {1, 1};
  l->n = 0;
  __enzyme_autodiff((void *)of_struct, enzyme_dup, l, l, enzyme_dup, x, dx, enzyme_dup, y, dy);
  check_value("nothing is read", dx[0], 0, 1e-14);
  munmap(pages, 2 * page);
}
#endif

int main(void) {
  static const int layouts[][3] = {
      {0, 14, 22}, {0, 12, 17}, {22, 10, 0}, {0, 11, 20}, {0, 20, 11}, {0, 3, 20}, {0, 20, 5}, {0, 14, 14}, {0, 14, 15},
      {0, 15, 14}, {14, 14, 14}, {14, 15, 20}, {10, 0, 4}, {0, 22, 26}, {0, 14, 16}, {3, 30, 0},
  };
  static const long sizes[][3] = {{4, 3, 3}, {1, 1, 3}, {0, 2, 2}, {3, 0, 4}, {1, 2, 1L << 60}, {-2, 3, 3}, {4, 2, 2}, {1, 0, 3}};
  double x[POOL];
  for (int i = 0; i < POOL; i++) x[i] = 0.5 * cos(1.3 * i + 0.4) + 0.3, index_of[i] = (7 * i + 3) % 5;
  for (int layout = 0; layout < COUNT(layouts); layout++)
    for (int size = 0; size < COUNT(sizes); size++) {
      given_a = layouts[layout][0], given_x = layouts[layout][1], given_y = layouts[layout][2];
      given_n = (int)sizes[size][0], given_m = (int)sizes[size][1], given_row = sizes[size][2];
      int apart = layout == 0 || layout == 2 || layout == COUNT(layouts) - 1;
      if (given_n < 0 && layout > 1) continue;
#define ONE(kernel) \
  if (given_n >= 0 || (strcmp(#kernel, "blocks") && strcmp(#kernel, "walks") && strcmp(#kernel, "unsigned_ends")))              \
    if (apart || strcmp(#kernel, "restricted")) CHECK_DERIVED(kernel##_of, x);
      EACH(ONE)
    }
  CHECK_ENGINE(one_shadow());
  CHECK_ENGINE(shadows_overlap("shadows of rows", (void *)rows));
  CHECK_ENGINE(shadows_overlap("shadows of columns", (void *)columns));
  CHECK_ENGINE(shadows_overlap("shadows of a triangle", (void *)triangle));
  CHECK_ENGINE(shadows_overlap("shadows of a sum", (void *)total));
  CHECK_ENGINE(shadows_overlap("shadows of neighbours", (void *)neighbours));
  CHECK_ENGINE(at_the_end_of_a_page());
  return check_done();
}
