/* Blocks that are allocated and given back in every way, small ones and large ones: a derivative may let its own begin
 * with a line of the cache, and what is given back then is the block as it was allocated. */
#include "../check.h"

enum { N = 9 };
static long n = N;
static long room = 700; /* numbers, more than x has */

static double plain(const double *x) {
  double *a = malloc(room * sizeof *a), s = 0;
  for (long i = 0; i < n; i++) a[i] = x[i] * x[i];
  for (long i = 0; i < n; i++) s += a[i] * sin(a[(i + 1) % n]);
  free(a);
  return s;
}
DERIVED(plain)

static double zeroed(const double *x) {
  double *a = calloc(room, sizeof *a), *b = calloc(sizeof *b, room), *c = calloc(1, 4096), s = 0;
  for (long i = 0; i < n; i++) {
    a[i] += x[i];
    b[n - i] += a[i] * x[i];
    c[i % 3] += b[n - i];
  }
  for (long i = 0; i < room; i++) s += a[i] * b[i];
  for (int i = 0; i < 512; i++) s += c[i];
  free(c);
  free(a);
  free(b);
  return s;
}
DERIVED(zeroed)

/* given back on one of two ways, or where there is one at all */
static double sometimes(const double *x) {
  double *a = x[0] > 0 ? malloc(room * sizeof *a) : 0, s = 1;
  if (a) {
    for (long i = 0; i < n; i++) a[i] = exp(x[i] * 0.1);
    for (long i = 0; i < n; i++) s += a[i] * x[i];
  }
  if (x[1] > 0) {
    free(a);
    return s * s;
  }
  s += x[2];
  free(a);
  return s;
}
DERIVED(sometimes)

/* grown, swapped, and kept in memory */
struct vector {
  double *at;
  long have, count;
};
static void append(struct vector *v, double value) {
  if (v->count == v->have) {
    v->have = v->have ? 2 * v->have : 300;
    v->at = realloc(v->at, v->have * sizeof *v->at);
  }
  v->at[v->count++] = value;
}
static double grown(const double *x) {
  struct vector v = {0, 0, 0}, w = {0, 0, 0};
  double s = 0;
  for (long k = 0; k < 40; k++)
    for (long i = 0; i < n; i++) append(&v, x[i] * x[k % N]);
  for (long k = 0; k < v.count; k++) append(&w, v.at[k] * v.at[v.count - 1 - k]);
  for (long k = 0; k < w.count; k += 7) s += w.at[k];
  free(v.at);
  free(w.at);
  return s;
}
DERIVED(grown)

static NOINLINE double *filled(const double *x, long count) {
  double *made = malloc(count * sizeof *made);
  for (long i = 0; i < count; i++) made[i] = x[i % N] * (i + 1);
  return made;
}
static NOINLINE double summed_and_freed(double *a, long count) {
  double s = 0;
  for (long i = 0; i < count; i++) s += a[i] * a[i];
  free(a);
  return s;
}
static NOINLINE double summed(const double *a, long count) {
  double s = 0;
  for (long i = 0; i < count; i++) s += a[i];
  return s;
}
static double handed_over(const double *x) {
  double *a = filled(x, room), *b = malloc(room * sizeof *b), *c = malloc(room * sizeof *c);
  for (long i = 0; i < room; i++) b[i] = a[i] * 0.5, c[i] = a[i] + b[i];
  double s = summed_and_freed(b, room) * summed(c, room);
  free(a);
  free(c);
  return s * 1e-12;
}
DERIVED(handed_over)

/* two blocks that change places each round, and one whose address is a number with a mark in it for a while */
static double swapped(const double *x) {
  double *now = malloc(room * sizeof *now), *next = malloc(room * sizeof *next), s = 0;
  for (long i = 0; i < n; i++) now[i] = x[i];
  for (int step = 0; step < 5; step++) {
    for (long i = 0; i < n; i++) next[i] = now[i] + 0.1 * sin(now[(i + 1) % n]);
    double *old = now;
    now = next;
    next = old;
  }
  for (long i = 0; i < n; i++) s += now[i] * now[i];
  free(now);
  free(next);
  return s;
}
DERIVED(swapped)

static volatile uintptr_t marked;
static double with_a_mark(const double *x) {
  double *a = malloc(room * sizeof *a), s = 0;
  marked = (uintptr_t)a | 1;
  for (long i = 0; i < n; i++) a[i] = x[i] * x[i];
  for (long i = 0; i < n; i++) s += a[i] * x[0];
  marked &= ~(uintptr_t)1;
  int same = marked == (uintptr_t)a;
  free(a);
  return same ? s : 0;
}
DERIVED(with_a_mark)

/* no block at all: too much is asked for */
static volatile size_t too_many = SIZE_MAX / 8;
static double refused(const double *x) {
  double *a = malloc(too_many * 8), *b = calloc(too_many, 8), *c = malloc(SIZE_MAX - 20), *d = malloc(0), s = x[0];
  if (a) s += a[0] = x[1];
  if (b) s += b[0] = x[2];
  if (c) s += c[0] = x[3];
  free(a);
  free(b);
  free(c);
  free(d);
  return s * s;
}
DERIVED(refused)

static double tape_of_unknown_length(const double *x) {
  double v = x[0] + 2, s = 0;
  for (long i = 0; v > 1e-3; i++) {
    v = v * 0.97 + 1e-4 * sin(v * x[i % N]);
    s += v * v;
  }
  return s;
}
DERIVED(tape_of_unknown_length)

int main(void) {
  double x[N];
  for (int i = 0; i < N; i++) x[i] = cos(0.7 * i) + 0.2;
  for (room = 20; room < 20000; room *= 30) {
    CHECK_DERIVED(plain, x);
    CHECK_DERIVED(zeroed, x);
    CHECK_DERIVED(sometimes, x);
    CHECK_DERIVED(handed_over, x);
    CHECK_DERIVED(swapped, x);
    CHECK_DERIVED(with_a_mark, x);
    x[0] = -x[0];
    x[1] = -x[1];
  }
  CHECK_DERIVED(grown, x);
  CHECK_DERIVED(refused, x);
  CHECK_DERIVED(tape_of_unknown_length, x);
  return check_done();
}
