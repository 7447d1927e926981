/* Unions of a number, a pointer and an integer, passed and returned by value: words in registers. */
#include <stdint.h>

#include "check.h"

struct tagged {
  int kind;
  union { double d; const double *p; int64_t i; } u;
};
union word { double d; const double *p; };

static NOINLINE double value(struct tagged t) {
  return t.kind == 0 ? t.u.d : t.kind == 1 ? t.u.p[0] * t.u.p[1] : (double)t.u.i;
}
static double members(const double *x) {
  struct tagged s[3] = {{1, {.p = x}}, {0, {.d = x[0] * x[2]}}, {1, {.p = x + 1}}};
  double sum = 1;
  for (int i = 0; i < 3; i++) sum = sum * value(s[i]) + 1;
  return sum;
}
DERIVED(members)

static NOINLINE struct tagged pick(const struct tagged *all, int n) {
  struct tagged best = all[0];
  for (int i = 1; i < n; i++)
    if (all[i].kind <= best.kind) best = all[i];
  return best;
}
static double shifted(const double *x) {
  struct tagged s[4] = {{1, {.p = x}}, {0, {.d = x[0] * x[2]}}, {2, {.i = 7}}, {1, {.p = x + 1}}};
  double sum = value(pick(s, 4));
  for (int i = 3; i > 0; i--) {
    struct tagged t = s[i];
    s[i] = s[i - 1];
    s[i - 1] = t;
  }
  for (int i = 0; i < 4; i++) sum = sum * 0.7 + value(s[i]) * sum;
  return sum;
}
DERIVED(shifted)

struct stack { int n; struct tagged v[4]; };
static NOINLINE void push(struct stack *s, struct tagged t) { s->v[s->n++] = t; }
static NOINLINE double pop(struct stack *s) {
  struct tagged *t = &s->v[--s->n];
  return t->kind == 0 ? t->u.d : t->u.p[0] * t->u.p[1];
}
static double pushed(const double *x) {
  struct stack s = {0};
  struct tagged a = {1, {.p = x}}, b = {0, {.d = x[0] * x[2]}};
  push(&s, a);
  push(&s, b);
  push(&s, a);
  double sum = pop(&s);
  sum = sum * pop(&s) + sum;
  return sum * pop(&s);
}
DERIVED(pushed)

static NOINLINE union word get(const union word *all, int i) { return all[i & 3]; }
static NOINLINE union word same(union word w, int i) {
  union word other;
  other.d = 2;
  if (i > 100) return other;
  return w;
}
static NOINLINE double of(union word w, int leads) { return leads ? w.p[0] * w.p[1] : w.d * w.d; }
static double returned(const double *x) {
  union word a[4] = {{.p = x}, {.d = x[0] * x[2]}, {.p = x + 1}, {.d = x[1]}};
  double sum = 1;
  for (int i = 0; i < 4; i++) sum = sum * of(same(get(a, i), i), i % 2 == 0) + 1;
  return sum;
}
DERIVED(returned)

int main(void) {
  const double x[] = {0.7, -1.1, 1.9};
  CHECK_DERIVED(members, x);
  CHECK_DERIVED(shifted, x);
  CHECK_DERIVED(pushed, x);
  CHECK_DERIVED(returned, x);
  return check_done();
}
