/* Words that are numbers at some times and pointers at others, in block copies, fills and over what was there before. */
#include "check.h"

union word { double d; const double *p; long i; };
struct cell { long kind; union word w; };

static NOINLINE void rotate(struct cell *c, int n) {
  struct cell t;
  memcpy(&t, c, sizeof t);
  memmove(c, c + 1, (n - 1) * sizeof t);
  memcpy(c + n - 1, &t, sizeof t);
}
static double value(const struct cell *c) {
  return c->kind == 1 ? c->w.p[0] * c->w.p[1] : c->kind == 0 ? c->w.d * c->w.d : (double)c->w.i;
}
static double rotated(const double *x) {
  struct cell *c = malloc(4 * sizeof *c);
  c[0].kind = c[2].kind = 1;
  c[1].kind = c[3].kind = 0;
  c[0].w.p = x;
  c[1].w.d = x[0] * x[2];
  c[2].w.p = x + 1;
  c[3].w.d = x[1];
  double sum = 1;
  for (int k = 0; k < 3; k++) {
    rotate(c, 4);
    for (int i = 0; i < 4; i++) sum = sum * 0.5 + value(&c[i]) * (1 + 0.1 * sum);
    if (k == 1) {
      memset(&c[0], 0, sizeof *c);
      c[1].kind = 0;
      c[1].w.d = sum; /* over a pointer */
      c[2].kind = 2;
      c[2].w.i = -3;
    }
  }
  free(c);
  return sum;
}
DERIVED(rotated)

/* Integers in a union with numbers alone, converted: those of fewer than 52 bits are told from numbers. */
union sized { double d; long i; };
static NOINLINE double measure(const union sized *u, int counts) { return counts ? (double)u->i : u->d; }
static double sizes(const double *x) {
  union sized a[3] = {{.i = 1l << 50}, {.d = x[0] * x[1]}, {.i = -(1l << 49)}};
  double sum = 0;
  for (int i = 0; i < 3; i++) sum = sum * x[2] + measure(&a[i], i != 1) * (i == 1 ? 1 : 0x1p-50);
  return sum;
}
DERIVED(sizes)

/* The caller's own memory: what was seeded there stays, pointers in the shadow lead where they led. */
struct record { union word w[2]; };
static NOINLINE void exchange(struct record *a, struct record *b) {
  struct record t = *a;
  *a = *b;
  *b = t;
}
static void exchanged(struct record *a, struct record *b) {
  b->w[1].d *= b->w[1].d * a->w[0].p[0];
  exchange(a, b);
}

int main(void) {
  const double x[] = {0.7, -1.1, 1.9};
  CHECK_DERIVED(rotated, x);
  CHECK_DERIVED(sizes, x);
#ifndef REFERENCE
  double u = 3, v = 5, du = 0, dv = 0;
  struct record a = {{{.p = &u}, {.d = 2}}}, b = {{{.p = &v}, {.d = 4}}};
  struct record da = {{{.p = &du}, {.d = 10}}}, db = {{{.p = &dv}, {.d = 1}}};
  __enzyme_autodiff((void *)exchanged, &a, &da, &b, &db);
  check_close("du", 0, du, 10 * 16, 1e-12);
  check_close("dv", 0, dv, 0, 1e-12);
  check_close("a.d", 0, da.w[1].d, 1, 1e-12);
  check_close("b.d", 0, db.w[1].d, 10 * 2 * 4 * 3, 1e-12);
#endif
  return check_done();
}
