/* A stack machine: an array that grows and shrinks, values popped, pushed, duplicated, overwritten. */
#include "check.h"

struct stack {
  double *v;
  int n, room;
};
static NOINLINE void push(struct stack *s, double v) {
  if (s->n == s->room) s->v = realloc(s->v, (s->room = 2 * s->room + 1) * sizeof(double));
  s->v[s->n++] = v;
}
static NOINLINE double pop(struct stack *s) { return s->v[--s->n]; }

static double run(const double *x) {
  static const char *program = "0123+*d*s-2*d+1s1+*";
  struct stack s = {0};
  for (const char *p = program; *p; p++) {
    double a, b;
    switch (*p) {
    case '+': a = pop(&s), b = pop(&s), push(&s, a + b); break;
    case '-': a = pop(&s), b = pop(&s), push(&s, b - a); break;
    case '*': a = pop(&s), b = pop(&s), push(&s, a * b); break;
    case 'd': a = pop(&s), push(&s, a), push(&s, a); break;
    case 's': a = pop(&s), b = pop(&s), push(&s, a), push(&s, b); break;
    default: push(&s, x[*p - '0'] + 1);
    }
  }
  double r = 0;
  while (s.n) r = r * 0.5 + pop(&s);
  free(s.v);
  return r;
}
DERIVED(run)

int main(void) {
  double x[4] = {0.6, -0.45, 0.8, 0.5};
  CHECK_DERIVED(run, x);
  return check_done();
}
