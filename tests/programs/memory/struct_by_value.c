/* Structs passed and returned by value between inner functions: two doubles, four doubles, mixed members, floats. */
#include "check.h"

struct complex2 { double re, im; };
struct wide { double v[4]; };
struct tagged { int kind; double value; float scale; };
struct small { float a, b; };

static NOINLINE struct complex2 multiply(struct complex2 a, struct complex2 b) {
  struct complex2 r = {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
  return r;
}
static NOINLINE struct wide rotate(struct wide w, double k) {
  struct wide r;
  for (int i = 0; i < 4; i++) r.v[i] = w.v[(i + 1) & 3] * k + w.v[i] * w.v[i];
  w.v[0] = 100;
  return r;
}
static NOINLINE double tag(struct tagged t) { return t.kind == 1 ? t.value * t.scale : t.value * t.value; }
static NOINLINE struct small tiny(struct small s) {
  struct small r = {s.b * 2, s.a * s.b};
  return r;
}

static double values(const double *x) {
  struct complex2 z = {x[0], x[1]}, w = {x[2], x[3]}, p = {1, 0};
  for (int k = 0; k < 4; k++) p = multiply(p, k & 1 ? z : w);
  struct wide a = {{x[0], x[1], x[2], p.re}};
  a = rotate(rotate(a, p.im), x[3]);
  struct tagged t = {1, a.v[0], 0.5f}, u = {2, a.v[1], 3};
  struct small s = {0.25f, 0.5f};
  s = tiny(s);
  return tag(t) + tag(u) + a.v[2] * a.v[3] * s.a * s.b;
}

static void gradient(const double *x, double *g) { __enzyme_autodiff((void *)values, x, g); }
static double tangent(const double *x, const double *v) { return __enzyme_fwddiff((void *)values, enzyme_dup, x, v); }

int main(void) {
  double x[4] = {0.6, -0.45, 0.8, 0.5};
  CHECK(values, gradient, tangent, x);
  return check_done();
}
