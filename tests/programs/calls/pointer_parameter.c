/* Function pointers as parameters: user functions and library functions, with data beside them. */
#include "check.h"

typedef double (*unary)(double);
typedef void (*fill)(double *out, const double *in, int n, const void *context);

static NOINLINE double apply(unary f, double x) { return f(x) * f(x + 1); }
static NOINLINE double twice(unary f, unary g, double x) { return g(f(x)) + apply(f, x) * apply(g, x); }
static NOINLINE double mine(double x) { return 1 / (1 + x * x); }

struct scale {
  double factor;
  int power;
};

static NOINLINE void scaled(double *out, const double *in, int n, const void *context) {
  const struct scale *s = context;
  for (int i = 0; i < n; i++) {
    out[i] = s->factor * in[i];
    for (int k = 1; k < s->power; k++) out[i] *= in[i];
  }
}
static NOINLINE void smoothed(double *out, const double *in, int n, const void *context) {
  double w = *(const double *)context;
  for (int i = 0; i < n; i++) out[i] = in[i] + w * (in[(i + 1) % n] - in[i]);
}

static NOINLINE double run(fill first, const void *a, fill second, const void *b, const double *x, int n) {
  double y[8], z[8], s = 0;
  first(y, x, n, a);
  second(z, y, n, b);
  for (int i = 0; i < n; i++) s += z[i] * y[i];
  return s;
}

static NOINLINE double all(const double *x, int n) {
  struct scale s = {1.5, 3};
  double w = 0.25;
  double r = run(scaled, &s, smoothed, &w, x, n) - run(smoothed, &w, scaled, &s, x, n);
  r += twice(sin, mine, x[0]) + twice(mine, exp, x[1]) * twice(cos, cos, x[2]);
  return r;
}
static double objective(const double *x) { return all(x, 5); }

static void reverse(const double *x, double *g) { __enzyme_autodiff((void *)all, enzyme_dup, x, g, 5); }
static double forward(const double *x, const double *v) {
  return __enzyme_fwddiff((void *)all, enzyme_dup, x, v, 5);
}

int main(void) {
  double x[5] = {0.3, -0.7, 1.2, 0.4, 0.9};
  CHECK(objective, reverse, forward, x);
  return check_done();
}
