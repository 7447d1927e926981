/* Addresses kept and passed as integers: with tag bits, exclusive or of neighbours, in structs that other functions copy
   as integers, in arrays, by value, through calls that see nothing but integers, swapped in place, and sorted. */
#include "check.h"

struct node { uintptr_t link; double v; };
struct slot { unsigned long tagged; long count; };
struct box { uintptr_t p, q; };
struct keep { uintptr_t p[2]; long n; };

static NOINLINE void put(struct slot *s, const double *p, long n) {
  s->tagged = (uintptr_t)p | 1;
  s->count = n;
}
static NOINLINE double get(const struct slot *s) {
  const double *p = (const double *)(s->tagged & ~(uintptr_t)1);
  double r = 0;
  for (long i = 0; i < s->count; i++) r += p[i] * p[i];
  return r;
}
static double tagged(const double *x) {
  struct slot a, b;
  put(&a, x, 3);
  b = a;
  b.count--;
  return get(&b) * x[2];
}
DERIVED(tagged)

static NOINLINE double walk(const struct node *first) {
  double r = 1;
  uintptr_t before = 0;
  while (first) {
    r = r * first->v + first->v;
    uintptr_t here = (uintptr_t)first;
    first = (const struct node *)(first->link ^ before);
    before = here;
  }
  return r;
}
static double linked_by_xor(const double *x) {
  struct node *n = malloc(3 * sizeof *n);
  for (int i = 0; i < 3; i++) {
    n[i].v = x[i];
    n[i].link = (i > 0 ? (uintptr_t)&n[i - 1] : 0) ^ (i < 2 ? (uintptr_t)&n[i + 1] : 0);
  }
  double r = walk(n);
  free(n);
  return r;
}
DERIVED(linked_by_xor)

static NOINLINE void fill(struct box *b, const double *x, double *y) {
  b->p = (uintptr_t)x;
  b->q = (uintptr_t)y;
}
static NOINLINE void copy(struct box *to, const struct box *from) {
  to->p = from->p;
  to->q = from->q;
}
static NOINLINE double use(const struct box *b) {
  double *p = (double *)b->p, *q = (double *)b->q;
  return p[0] * q[1] + p[1];
}
static double copied(const double *x) {
  double *y = malloc(16);
  y[0] = x[0] * x[1];
  y[1] = x[1] * x[1];
  struct box a, b;
  fill(&a, x, y);
  copy(&b, &a);
  double r = use(&b);
  free(y);
  return r;
}
DERIVED(copied)

static NOINLINE uintptr_t as_number(const double *p) { return (uintptr_t)p; }
static NOINLINE double at(uintptr_t p, long i) { return *(const double *)(p + 8 * i); }
static double called(const double *x) {
  return at(as_number(x), 1) * at(as_number(x + 1), 1) + at(as_number(x), 0);
}
DERIVED(called)

static NOINLINE void keep(struct keep *k, uintptr_t p, int i) {
  k->p[i] = p;
  k->n = i + 1;
}
static NOINLINE uintptr_t give(const struct box *b) { return b->p; }
static NOINLINE double sum(const struct keep *k) {
  double r = 0;
  for (int i = 0; i < k->n; i++) r += *(double *)k->p[i] * (i + 1);
  return r;
}
static double handed_on(const double *x) {
  struct box b = {(uintptr_t)x, (uintptr_t)(x + 1)};
  struct keep k;
  keep(&k, give(&b), 0);
  keep(&k, give(&b) + 16, 1);
  return sum(&k) * x[1];
}
DERIVED(handed_on)

static NOINLINE double by_value(struct box b) { return *(double *)b.p * *(double *)b.q; }
static NOINLINE struct box make(const double *x) {
  struct box b = {(uintptr_t)(x + 1), (uintptr_t)x};
  return b;
}
static double values(const double *x) { return by_value(make(x)) * x[2]; }
DERIVED(values)

static double numbered(const double *x) {
  uintptr_t *p = malloc(3 * sizeof *p), *q = malloc(3 * sizeof *q);
  for (int i = 0; i < 3; i++) p[i] = (uintptr_t)(x + (i + 1) % 3);
  for (int i = 0; i < 3; i++) q[i] = p[2 - i];
  double r = 0;
  for (int i = 0; i < 3; i++) r += (i + 1) * *(double *)q[i] * x[i];
  free(p);
  free(q);
  return r;
}
DERIVED(numbered)

static double swapped(const double *x) {
  double *a = malloc(24), *b = malloc(24);
  for (int i = 0; i < 3; i++) a[i] = x[i], b[i] = x[i] * x[i];
  for (int i = 0; i < 3; i++) {
    uintptr_t p = (uintptr_t)a, q = (uintptr_t)b;
    p ^= q;
    q ^= p;
    p ^= q;
    a = (double *)p;
    b = (double *)q;
    a[i] += b[(i + 1) % 3] * 0.5;
  }
  double r = a[0] * b[1] + a[2] * b[2] + a[1];
  free(a);
  free(b);
  return r;
}
DERIVED(swapped)

static int compare(const void *a, const void *b) {
  double u = **(double *const *)a, v = **(double *const *)b;
  return (u > v) - (u < v);
}
static double sorted(const double *x) {
  uintptr_t t[3];
  for (int i = 0; i < 3; i++) t[i] = (uintptr_t)(x + i);
  qsort(t, 3, sizeof *t, compare);
  return *(double *)t[0] + 2 * *(double *)t[1] + 3 * *(double *)t[2] * *(double *)t[0];
}
DERIVED(sorted)

int main(void) {
  double x[3] = {0.6, 0.7, -0.55};
  CHECK_DERIVED(tagged, x);
  CHECK_DERIVED(linked_by_xor, x);
  CHECK_DERIVED(copied, x);
  CHECK_DERIVED(called, x);
  CHECK_DERIVED(handed_on, x);
  CHECK_DERIVED(values, x);
  CHECK_DERIVED(numbered, x);
  CHECK_DERIVED(swapped, x);
  CHECK_DERIVED(sorted, x);
  return check_done();
}
