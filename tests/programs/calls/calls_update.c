/* A helper that updates its argument in place, called again and again, inside and outside of loops, on parts. */
#include "check.h"

struct state { double q, p; int steps; };

static NOINLINE void leapfrog(struct state *s, double h) {
  s->p -= 0.5 * h * sin(s->q);
  s->q += h * s->p;
  s->p -= 0.5 * h * sin(s->q);
  s->steps++;
}
static NOINLINE void mixin(double *a, double *b) {
  double t = *a * *b;
  *a = *a + t;
  *b = sin(t);
}

static double run(const double *x, int n) {
  struct state s = {x[0], x[1], 0};
  double a[3] = {x[0], x[1], x[2]};
  for (int i = 0; i < n; i++) {
    leapfrog(&s, x[2]);
    if (s.steps % 3 == 0) leapfrog(&s, 0.5 * x[2]);
    mixin(&a[i % 3], &a[(i + 1) % 3]);
  }
  mixin(&s.q, &s.p);
  mixin(a, a + 2);
  return s.q * s.p + a[0] * a[1] + a[2] * s.steps;
}

static double objective(const double *x) { return run(x, 7); }
static void gradient(const double *x, double *g) { __enzyme_autodiff((void *)run, x, g, 7); }
static double tangent(const double *x, const double *v) { return __enzyme_fwddiff((void *)run, enzyme_dup, x, v, 7); }

int main(void) {
  double x[3] = {0.6, -0.45, 0.3};
  CHECK(objective, gradient, tangent, x);
  return check_done();
}
