/* Blocks that may be small, for which there may be room on the stack: in loops, where the next iteration has the same room,
 * or both blocks are there at once; in functions that call themselves deeply, where there is none; sizes around what a
 * room holds; more blocks than a function has rooms. */
#include "../check.h"

enum { N = 6 };
static long n = N;
static long most = 3; /* how many times as large blocks get */

/* each iteration has scratch of its own, of another size */
static double in_a_loop(const double *x) {
  double s = 0;
  for (long k = 1; k < 40 * most; k += 7) {
    double *a = malloc(k * sizeof *a), *b = calloc(k, sizeof *b);
    for (long i = 0; i < k; i++) a[i] = x[i % n] * (1 + i % 3);
    for (long i = 0; i < k; i += 2) b[i] += a[k - 1 - i] * sin(a[i]);
    for (long i = 0; i < k; i++) s += b[i] * (i + 1);
    free(b);
    free(a);
  }
  return s;
}
DERIVED(in_a_loop)

/* what the last iteration has left is read by this one, and given back then */
static double handed_on(const double *x) {
  double *old = 0, s = 0;
  for (long k = 3; k < 12 * most; k += 3) {
    double *a = malloc(k * sizeof *a);
    for (long i = 0; i < k; i++) a[i] = (old ? old[i % (k - 3)] : 1) * 0.5 + x[i % n];
    free(old);
    old = a;
    s += a[k / 2] * a[0];
  }
  free(old);
  return s;
}
DERIVED(handed_on)

/* only the last one is given back behind the loop, or the first */
static double last(const double *x) {
  double *kept = 0, s = 0;
  for (long k = 0; k < 5 * most; k++) {
    double *a = malloc((k + 1) * sizeof *a);
    for (long i = 0; i <= k; i++) a[i] = x[(i + k) % n] * x[i % n];
    if (k == 2) {
      kept = a;
      continue;
    }
    s += a[k / 2] * k;
    free(a);
  }
  s += kept[0] * kept[2];
  free(kept);
  return s;
}
DERIVED(last)

/* deep: each call has scratch, and there is no room for all of them */
static NOINLINE double folded(const double *x, long depth) {
  if (depth == 0) return x[0];
  double *a = malloc(n * sizeof *a);
  for (long i = 0; i < n; i++) a[i] = x[i] * 0.3;
  double below = folded(x, depth - 1), s = 0;
  for (long i = 0; i < n; i++) s += a[i] * a[(i + 1) % n];
  free(a);
  return 0.5 * below + s;
}
static double deep(const double *x) { return folded(x, 9000); }
DERIVED(deep)

static NOINLINE double even(const double *x, long depth);
static double (*volatile other)(const double *, long) = even;
static NOINLINE double odd(const double *x, long depth) {
  double *a = malloc(n * sizeof *a);
  for (long i = 0; i < n; i++) a[i] = x[i] * 0.1 + 0.01;
  double s = depth > 0 ? 0.7 * even(x, depth - 1) : 1;
  s += a[depth % n];
  free(a);
  return s;
}
static NOINLINE double even(const double *x, long depth) { return depth > 0 ? odd(x, depth - 1) * 0.9 : 2; }
static double in_turns(const double *x) { return odd(x, 8000); }
DERIVED(in_turns)

/* sizes around what a room holds, and none at all */
static double around(const double *x) {
  double s = 0;
  for (long bytes = 2024; bytes <= 2072; bytes += 8) {
    char *a = malloc(bytes);
    double *b = (double *)a;
    long count = bytes / 8;
    for (long i = 0; i < count; i++) b[i] = x[i % n];
    s += b[count - 1] * b[0] * b[count / 2];
    free(a);
  }
  void *none = malloc(n - N), *zero = calloc(n - N, 8);
  free(none);
  free(zero);
  return s;
}
DERIVED(around)

/* more blocks than there are rooms, one of them on one way only */
static double many(const double *x) {
  double *at[12], s = 0;
  double *a = malloc(n * 8), *b = malloc(n * 8), *c = calloc(n, 8), *d = malloc(n * 8), *e = malloc(n * 16);
  double *f = malloc(n * 8), *g = calloc(8, n), *h = malloc(n * 8 + 8), *i = malloc(n * 8), *j = malloc(n * 8);
  double *k = x[0] > 0 ? malloc(n * 8) : 0;
  for (long t = 0; t < n; t++) {
    a[t] = x[t], b[t] = a[t] * x[0], c[t] += b[t] + x[1], d[t] = c[t] * a[t], e[t] = d[t] + 1, e[n + t] = e[t] * x[2];
    f[t] = e[n + t] - a[t], g[t] += f[t], h[t] = g[t] * 2, i[t] = sin(h[t]), j[t] = i[t] * x[t];
    if (k) k[t] = j[t] * j[t];
  }
  at[3] = j;
  for (long t = 0; t < n; t++) s += at[3][t] + h[n - 1 - t] * (k ? k[t] : d[t]);
  free(a), free(b), free(c), free(d), free(e), free(f), free(g), free(h), free(i), free(j), free(k);
  return s;
}
DERIVED(many)

int main(void) {
  double x[N];
  for (int i = 0; i < N; i++) x[i] = cos(0.9 * i) + 0.3;
  for (most = 3; most < 40; most += 17) {
    CHECK_DERIVED(in_a_loop, x);
    CHECK_DERIVED(handed_on, x);
    CHECK_DERIVED(last, x);
    CHECK_DERIVED(many, x);
    x[0] = -x[0];
  }
  CHECK_DERIVED(deep, x);
  CHECK_DERIVED(in_turns, x);
  CHECK_DERIVED(around, x);
  return other ? check_done() : 1;
}
