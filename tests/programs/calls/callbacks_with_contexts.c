/* Functions that are given functions, each with a context of its own behind void *: structs of numbers, counters, arrays;
   handed on to another function, and through recursion. */
#include "check.h"

typedef double (*integrand)(double t, void *context);
typedef void (*visitor)(double t, void *context);
struct line {
  double slope, offset;
};
struct counter {
  long calls;
  int square;
};
struct table {
  const double *values;
  int count;
};

static double line(double t, void *context) {
  struct line *l = context;
  return l->slope * t * t + l->offset;
}
static double counted(double t, void *context) {
  struct counter *c = context;
  c->calls++;
  return c->square ? t * t : sin(t);
}
static double looked_up(double t, void *context) {
  struct table *v = context;
  return v->values[(int)(t * v->count)] * t;
}
static NOINLINE double halves(integrand f, void *context, double a, double b, int depth) {
  double m = 0.5 * (a + b);
  return depth == 0 ? (b - a) * f(m, context) : halves(f, context, a, m, depth - 1) + halves(f, context, m, b, depth - 1);
}
static NOINLINE double integral(integrand f, void *context, double a, double b) {
  return (b - a) / 2 * (f(a, context) + f(b, context)) + halves(f, context, a, b, 2);
}
static void add(double t, void *context) { *(double *)context += t * t; }
static void count(double t, void *context) { *(int *)context += t > 0.2; }
static NOINLINE void each(const double *x, int n, visitor visit, void *context) {
  for (int i = 0; i < n; i++) visit(x[i], context);
}

double objective(const double *x) {
  struct line l = {x[0], x[1]};
  struct counter c = {0, x[3] > 2};
  struct table t = {x, 4};
  double sum = integral(line, &l, 0, 1) + integral(counted, &c, x[2], 1) + integral(looked_up, &t, 0, 0.99);
  int large = 0;
  each(x, 4, add, &sum);
  each(x, 4, count, &large);
  return sum * large + 0.01 * (double)c.calls;
}
DERIVED(objective)

int main(void) {
  double x[] = {0.3, 0.5, 0.25, 0.7};
  CHECK_DERIVED(objective, x);
  return check_done();
}
