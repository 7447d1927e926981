/* Callbacks that take and return pointers to active memory, allocate it, and write through pointers to pointers. */
#include "check.h"

typedef double *(*maker)(const double *, int);
typedef double *(*chooser)(double *, double *);
typedef void (*setter)(double **where, double *what);

static NOINLINE double *doubled(const double *x, int n) {
  double *r = malloc(n * sizeof *r);
  for (int i = 0; i < n; i++) r[i] = 2 * x[i];
  return r;
}
static NOINLINE double *cubes(const double *x, int n) {
  double *r = calloc(n, sizeof *r);
  for (int i = 0; i < n; i++) r[i] = x[i] * x[i] * x[i];
  return r;
}
static NOINLINE double *first(double *a, double *b) { return (void)b, a; }
static NOINLINE double *second(double *a, double *b) { return (void)a, b + 1; }
static NOINLINE void set(double **where, double *what) { *where = what; }
static NOINLINE void set_next(double **where, double *what) { *where = what + 1; }

maker makers[2] = {doubled, cubes};
chooser choosers[2] = {first, second};
setter setters[2] = {set, set_next};

static NOINLINE double f(const double *x, int n, int k) {
  double *a = makers[k & 1](x, n), *b = makers[(k >> 1) & 1](x, n), *p;
  setters[(k >> 2) & 1](&p, choosers[(k >> 3) & 1](a, b));
  double s = p[0] * p[1] + a[2] * b[0];
  p[0] *= s;
  s += p[0] * a[0] + b[1];
  free(a);
  free(b);
  return s;
}
static int kind;
static double objective(const double *x) { return f(x, 5, kind); }

static void reverse(const double *x, double *g) { __enzyme_autodiff((void *)f, enzyme_dup, x, g, 5, kind); }
static double forward(const double *x, const double *v) {
  return __enzyme_fwddiff((void *)f, enzyme_dup, x, v, 5, kind);
}

int main(void) {
  double x[5] = {0.3, -0.7, 1.2, 0.4, 0.9};
  for (kind = 0; kind < 16; kind++) CHECK(objective, reverse, forward, x);
  return check_done();
}
