/* Integers that are addresses go everywhere: parameters, results, globals, arrays, structs in registers and in memory,
 * a choice between two. */
#include "check.h"
#include <stdint.h>

static NOINLINE uintptr_t address(double *block, int i) { return (uintptr_t)(block + i); }
static NOINLINE double read(uintptr_t at, double w) { return *(double *)at * w; }
static NOINLINE void add(uintptr_t at, double v) { *(double *)at += v * *(double *)at; }
static NOINLINE uintptr_t either(uintptr_t a, uintptr_t b, int first) { return first ? a : b; }

static double calls(const double *x) {
  double a[4], r = 0;
  for (int i = 0; i < 4; i++) a[i] = x[i] * x[i];
  for (int i = 0; i < 4; i++) {
    uintptr_t at = either(address(a, i), address(a, 0), i % 2);
    add(at, x[3 - i]);
    r += read(at, x[i]) * read(address(a, 3), 0.5);
  }
  return r;
}
DERIVED(calls)

static uintptr_t kept;
static NOINLINE double there(int i) { return ((double *)kept)[i]; }
static double global(const double *x) {
  double a[4];
  for (int i = 0; i < 4; i++) a[i] = sin(x[i]) * x[0];
  kept = (uintptr_t)a;
  double r = there(0) * there(1) + there(3);
  kept = 0;
  return r;
}
DERIVED(global)

struct entry {
  uint64_t at[3];
  double w;
};
static NOINLINE double table(const struct entry *e, int i) { return *(double *)e->at[i] * e->w; }
static double arrays(const double *x) {
  double a = x[0] * x[1], b = x[2], c[2] = {x[3], x[3] * x[0]};
  struct entry e = {{(uint64_t)&a, (uint64_t)&b, (uint64_t)(c + 1)}, x[1]}, f = e;
  f.at[0] = e.at[2];
  double r = table(&e, 0) + table(&e, 1) * table(&f, 0);
  e = f;
  a = x[1];
  return r * table(&e, 2) + table(&f, 1);
}
DERIVED(arrays)

struct small {
  intptr_t at;
  long n;
};
static NOINLINE struct small rest_of(struct small s) { return (struct small){s.at + (intptr_t)sizeof(double), s.n - 1}; }
static NOINLINE double total(struct small s) { return s.n ? *(double *)s.at + 0.5 * total(rest_of(s)) : 0; }
static double recursion(const double *x) {
  double a[4] = {x[0] * x[3], x[1], x[2] * x[2], x[3]};
  return total((struct small){(intptr_t)a, 4}) * x[1];
}
DERIVED(recursion)

int main(void) {
  double x[] = {0.7, -0.4, 1.1, 0.3};
  CHECK_DERIVED(calls, x);
  CHECK_DERIVED(global, x);
  CHECK_DERIVED(arrays, x);
  CHECK_DERIVED(recursion, x);
  return check_done();
}
