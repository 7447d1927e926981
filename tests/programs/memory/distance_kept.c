// Distances within one object that are kept in integers, and distances between objects that are only compared.
#include <stddef.h>

#include "check.h"

struct record {
  ptrdiff_t next;
  double v;
};
static NOINLINE void link_to(struct record *from, struct record *to) { from->next = (char *)to - (char *)from; }
static NOINLINE double walk(struct record *p) {
  double s = 0;
  for (;; p = (struct record *)((char *)p + p->next)) {
    s = s * 0.5 + p->v * p->v;
    if (!p->next) return s;
  }
}
static double relative(const double *x) {
  struct record *r = malloc(4 * sizeof *r);
  for (int i = 0; i < 4; i++) r[i].v = x[i % 2] * (i + 1), r[i].next = 0;
  link_to(r, r + 2), link_to(r + 2, r + 1), link_to(r + 1, r + 3);
  double s = walk(r);
  free(r);
  return s;
}

static NOINLINE double at(char *base, ptrdiff_t step, double s) {
  double *p = (double *)(base + step);
  return *p * *p * s;
}
static double members(const double *x) {
  struct {
    double a[2], b[2];
  } l = {{x[0], 1}, {x[1] * x[0], x[1]}};
  char *a = (char *)l.a, *b = (char *)&l.b[1];
  return at(a, b - a, x[0]) + at(b, (uintptr_t)a - (uintptr_t)b, x[1]);
}

static NOINLINE void add(double *to, const double *from, int n) {
  if ((uintptr_t)from - (uintptr_t)to < n * sizeof *to) return;
  for (int i = 0; i < n; i++) to[i] += from[i] * from[i];
}
static double compared(const double *x) {
  double a[2] = {x[0] * x[1], x[1]}, b[2] = {x[1], x[0]};
  add(a, b, 2);
  add(a, a, 2);
  return a[0] * a[1];
}
DERIVED(relative)
DERIVED(members)
DERIVED(compared)

int main(void) {
  double x[] = {0.7, 1.3};
  CHECK_DERIVED(relative, x);
  CHECK_DERIVED(members, x);
  CHECK_DERIVED(compared, x);
  return check_done();
}
