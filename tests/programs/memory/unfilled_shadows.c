/* Shadows of scratch that need not begin with zeros, since the way back sets each element before it asks for it, and such
 * that need: elements that nothing reads later, or not on every way, loops with fewer rounds or none, elements read twice,
 * read in front of what is written, written again and again. Fresh memory is full of other numbers. */
#include "check.h"
#if defined(__GLIBC__)
#include <malloc.h>
#endif

#define N 12

static double *fresh(int n) {
  double *made = malloc(sizeof(double) * (n > 0 ? n : 1));
  return made;
}

/* All is read. */
static NOINLINE double whole(const double *x, int n, int again) {
  double *a = fresh(n), *b = fresh(n), s = 0;
  for (int i = 0; i < n; i++) a[i] = x[i] * x[i];
  for (int i = 0; i < n; i++) b[i] = sin(a[i]);
  for (int i = 0; i < n; i++) s += b[i] * x[n - 1 - i];
  if (again)
    for (int i = 0; i < n; i++) s += 0.5 * b[i] * b[i];
  free(a), free(b);
  return s;
}
/* Some is. */
static NOINLINE double part(const double *x, int n, int m, int from) {
  double *a = fresh(n), *b = fresh(n), s = 0;
  for (int i = 0; i < n; i++) a[i] = x[i] * x[i];
  for (int i = from; i < n; i++) s += a[i] * x[0];
  for (int i = 0; i < n; i++) b[i] = x[i] * s;
  for (int i = 0; i < m; i++) s += b[i] * b[i];
  free(a), free(b);
  return s;
}
/* On some ways. */
static NOINLINE double sometimes(const double *x, int n, int how) {
  double *a = fresh(n), s = 1;
  for (int i = 0; i < n; i++) a[i] = x[i] * x[i];
  if (how == 0) {
    for (int i = 0; i < n; i++) s += a[i] * x[0];
  } else if (how == 1) {
    for (int i = 0; i < n; i++) s += a[i] * a[i];
  } else if (how == 2) {
    for (int i = 0; i < n; i++)
      if (x[i] > 0.9) s += a[i];
  } else if (how == 3) {
    s *= a[0];
  }
  free(a);
  return s;
}
/* In time steps: what the last one writes is read behind them, if there are any. */
static NOINLINE double steps(const double *x, int n, int count) {
  double *y = fresh(n), *z = fresh(n), s = 0;
  for (int i = 0; i < n; i++) y[i] = x[i];
  for (int step = 0; step < count; step++) {
    z[0] = y[0] * x[1];
    for (int i = 1; i < n; i++) z[i] = y[i] * y[i - 1] + 0.1;
    for (int i = 0; i < n; i++) y[i] += 0.3 * z[i];
  }
  for (int i = 0; i < n; i++) s += y[i] * y[i];
  free(y), free(z);
  return s;
}
/* The least of some numbers may come from the scratch, or not. */
static NOINLINE double chosen(const double *x, int n, double bound) {
  double *a = fresh(n), s = 0;
  for (int i = 0; i < n; i++) a[i] = x[i] * x[i];
  for (int i = 0; i < n; i++) s += a[i] * x[i];
  free(a);
  return s < bound ? s : bound * x[0];
}
/* Holes, pairs, and what is only cleared. */
static NOINLINE double holes(const double *x, int n) {
  double *a = fresh(2 * n), *b = fresh(n), s = 0;
  for (int i = 0; i < n; i++) a[2 * i] = x[i] * x[i], a[2 * i + 1] = x[i];
  for (int i = 0; i < n; i++) s += a[2 * i] * a[2 * i + 1];
  for (int i = 0; i < n; i++) b[i] = x[i] * s;
  for (int i = 0; i < n; i++) b[i] = 0;
  for (int i = 0; i < n; i++) s += b[i] * x[i];
  free(a), free(b);
  return s;
}

static double all(const double *x) {
  double s = 0;
  for (int n = 0; n < N; n += n < 4 ? 1 : 3) {
    s += whole(x, n, 0) + whole(x, n, 1);
    for (int m = 0; m <= n; m += 2) s += part(x, n, m, 0) + part(x, n, n, m);
    for (int how = 0; how < (n ? 5 : 3); how++) s += sometimes(x, n, how);
    if (n)
      for (int count = 0; count < 4; count++) s += steps(x, n, count);
    s += chosen(x, n, 1e9) + chosen(x, n, -1) + holes(x, n);
  }
  return s + whole(x, N, 0) * part(x, N, N - 1, 0);
}
DERIVED(all)

/* Each by itself, so that each of them is inlined, and optimised, with what calls it. */
static double one(const double *x) { return whole(x, N, 0); }
DERIVED(one)
static double stepped(const double *x) { return steps(x, N, 5); }
DERIVED(stepped)
static double direct(const double *x) {
  double *a = malloc(sizeof(double) * N), s = 0;
  for (int i = 0; i < N; i++) a[i] = x[i] * x[N - 1 - i];
  for (int i = 0; i < N; i++) s += sin(a[i]) * x[0];
  free(a);
  return s;
}
DERIVED(direct)
static double slope(const double *x) {
  double g[N] = {0}, s = 0;
  GRADIENT_OF(direct, x, g, N);
  for (int i = 0; i < N; i++) s += g[i] * (1 + 0.2 * i);
  return s;
}
DERIVED(slope)

int main(void) {
#if defined(M_PERTURB)
  mallopt(M_PERTURB, 0x5a);
#endif
  double x[N];
  for (int i = 0; i < N; i++) x[i] = 0.7 + 0.03 * ((i * 7) % 12);
  CHECK_DERIVED(all, x);
  CHECK_DERIVED(one, x);
  CHECK_DERIVED(stepped, x);
  CHECK_DERIVED(direct, x);
  CHECK_ENGINE(CHECK_DERIVED(slope, x));
  return check_done();
}
