// Contexts of callbacks that are passed as integers, through pointers to functions.
#include "check.h"

struct context {
  const double *x;
  double s;
};
typedef void (*callback)(uintptr_t context, int i);
static void sum(uintptr_t context, int i) {
  struct context *c = (struct context *)context;
  c->s += c->x[i] * c->x[i];
}
static void product(uintptr_t context, int i) {
  struct context *c = (struct context *)context;
  c->s *= c->x[i];
}
static void count(uintptr_t number, int i) { (void)number, (void)i; }
static NOINLINE void each(callback f, uintptr_t context, int n) {
  for (int i = 0; i < n; i++) f(context, i);
}
callback volatile which[3] = {sum, product, count};
static double f(const double *x) {
  struct context c = {x, 1};
  each(which[0], (uintptr_t)&c, 2);
  each(which[1], (uintptr_t)&c, 2);
  each(which[2], 17, 2);
  return c.s;
}
DERIVED(f)

int main(void) {
  double x[] = {0.7, 1.3};
  CHECK_DERIVED(f, x);
  return check_done();
}
