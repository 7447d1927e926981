/* The program's own allocator, counted: its blocks get shadows from the same allocator, and all are freed. */
#include "check.h"

static long live, total;
static NOINLINE void *pool_get(const char *why, size_t size) {
  long *block = malloc(size + 16);
  block[0] = 0x1234;
  live++, total++;
  for (size_t i = 0; i < size; i++) ((char *)(block + 2))[i] = 77;
  return block + 2;
}
static NOINLINE void pool_put(void *p) {
  long *block = (long *)p - 2;
  if (block[0] != 0x1234) abort();
  block[0] = 0;
  live--;
  free(block);
}
#ifndef REFERENCE
void *__enzyme_allocation_like_pool[4] = {(void *)pool_get, (void *)1, (void *)"-1", (void *)pool_put};
#endif

static double f(const double *x, int n) {
  double *y = pool_get("y", n * sizeof(double)), s = 0;
  for (int i = 0; i < n; i++) y[i] = x[i] * x[i];
  for (int i = 0; i < n; i++) {
    double *z = pool_get("z", sizeof(double));
    *z = y[i] * sin(x[n - 1 - i]);
    s += *z * *z;
    pool_put(z);
  }
  pool_put(y);
  return s;
}

static double objective(const double *x) { return f(x, 4); }
static void reverse(const double *x, double *g) { __enzyme_autodiff((void *)f, x, g, 4); }
static double forward(const double *x, const double *v) { return __enzyme_fwddiff((void *)f, x, v, 4); }

int main(void) {
  double x[4] = {0.5, -1, 2, 0.25};
  CHECK(objective, reverse, forward, x);
  check_value("blocks not freed", live, 0, 0);
  return check_done();
}
