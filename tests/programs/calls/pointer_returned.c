/* Functions that return functions, pointers in arrays on the stack and on the heap, and recursion through pointers. */
#include "check.h"

typedef double (*binary)(double, double);
typedef double (*recursive)(void *self, double x, int depth);

static NOINLINE double add(double a, double b) { return a + b; }
static NOINLINE double times(double a, double b) { return a * b; }
static NOINLINE double power(double a, double b) { return a * exp(0.3 * b); }
static NOINLINE binary pick(int i) { return i % 3 == 0 ? add : i % 3 == 1 ? times : power; }

static NOINLINE double fold(const double *x, int n) {
  binary *steps = malloc(n * sizeof *steps);
  for (int i = 0; i < n; i++) steps[i] = pick(i);
  double r = x[0];
  for (int i = 1; i < n; i++) r = steps[n - i](r, x[i]);
  free(steps);
  return r;
}

struct rules {
  recursive down, up;
  double rate;
};
static NOINLINE double down(void *self, double x, int depth) {
  struct rules *r = self;
  if (depth == 0) return x * r->rate;
  return 0.5 * x + r->up(self, x * x, depth - 1);
}
static NOINLINE double up(void *self, double x, int depth) {
  struct rules *r = self;
  if (depth == 0) return sin(x);
  return r->rate * r->down(self, x + 0.1, depth - 1) * r->up(self, 0.5 * x, depth - 1);
}

static NOINLINE double all(const double *x, int n) {
  struct rules r = {down, up, x[1]};
  return fold(x, n) + r.down(&r, x[2], 5) * x[3];
}
static double objective(const double *x) { return all(x, 5); }

static void reverse(const double *x, double *g) { __enzyme_autodiff((void *)all, enzyme_dup, x, g, 5); }
static double forward(const double *x, const double *v) { return __enzyme_fwddiff((void *)all, enzyme_dup, x, v, 5); }

int main(void) {
  double x[5] = {0.3, -0.7, 1.2, 0.4, 0.9};
  CHECK(objective, reverse, forward, x);
  return check_done();
}
