/* Block copies of numbers with a few bytes of integers behind them, which are no whole number: the members that a
 * compiler copies together when it copies an object member by member. */
#include <stddef.h>

#include "check.h"

struct state {
  double *values;
  double norm;
  signed char sign, ready;
};

struct pair {
  double a, b;
  short count;
  char code;
};

static NOINLINE double use(const struct state *s, const struct pair *p) {
  return s->ready ? s->sign * s->norm * s->values[0] + p->a * p->b * p->count * p->code : 0;
}

static double tails(const double *x) {
  double values[2] = {x[0] * x[1], x[1]};
  struct state first = {values, x[2] * x[2], -1, 1}, second;
  struct pair left = {x[0] * 0.5, x[3] * x[3], 3, 'c'}, right;
  second.values = values + 1;
  memcpy(&second.norm, &first.norm, 10);
  memcpy(&right, &left, 19);
  first.norm = 0;
  left.a = left.b = 0;
  return use(&second, &right) * x[1];
}
DERIVED(tails)

int main(void) {
  double x[] = {1.25, -0.75, 2.125, 0.5};
  CHECK_DERIVED(tails, x);
  return check_done();
}
