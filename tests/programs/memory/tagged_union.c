/* Expression trees of tagged unions: a number, a pair of children, or an index, in the same bytes. */
#include "check.h"

struct expression {
  enum { NUMBER, SUM, PRODUCT, WAVE, INPUT } tag;
  union {
    double number;
    struct {
      struct expression *left, *right;
    } pair;
    int input;
  } as;
};
static struct expression *make(int tag, struct expression *l, struct expression *r) {
  struct expression *e = malloc(sizeof *e);
  e->tag = tag;
  e->as.pair.left = l;
  e->as.pair.right = r;
  return e;
}
static struct expression *number(double v) {
  struct expression *e = malloc(sizeof *e);
  e->tag = NUMBER;
  e->as.number = v;
  return e;
}
static struct expression *input(int i) {
  struct expression *e = malloc(sizeof *e);
  e->tag = INPUT;
  e->as.input = i;
  return e;
}
static NOINLINE double evaluate(const struct expression *e, const double *x) {
  switch (e->tag) {
  case NUMBER: return e->as.number;
  case INPUT: return x[e->as.input];
  case SUM: return evaluate(e->as.pair.left, x) + evaluate(e->as.pair.right, x);
  case PRODUCT: return evaluate(e->as.pair.left, x) * evaluate(e->as.pair.right, x);
  default: return sin(evaluate(e->as.pair.left, x));
  }
}
static NOINLINE void drop(struct expression *e) {
  if (e->tag == SUM || e->tag == PRODUCT) drop(e->as.pair.right);
  if (e->tag == SUM || e->tag == PRODUCT || e->tag == WAVE) drop(e->as.pair.left);
  free(e);
}
static double f(const double *x) {
  struct expression *e = make(PRODUCT, make(SUM, input(0), number(2.5)), make(WAVE, make(PRODUCT, input(1), input(2)), 0));
  e = make(SUM, e, make(PRODUCT, input(3), make(PRODUCT, input(0), number(-0.5))));
  double s = evaluate(e, x);
  drop(e);
  return s;
}
DERIVED(f)

int main(void) {
  double x[4] = {0.6, 0.7, -0.55, 0.75};
  CHECK_DERIVED(f, x);
  return check_done();
}
