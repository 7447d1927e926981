/* Structs passed by value, in registers or in memory: one marker stands for the whole struct. */
#include "check.h"
struct two {
  double a, b;
};
struct view {
  double *data;
  long n;
};
struct big {
  double v[4];
};
struct mixed {
  double weight;
  int power;
};
extern struct two __enzyme_autodiff_two(void *, ...);

static double f(struct two s, double y) { return s.a * s.b * y; }
static double g(struct view v, double scale) {
  double s = 0;
  for (long i = 0; i < v.n; i++) s += v.data[i] * v.data[i] * scale;
  return s;
}
static double h(struct big b, double y) { return b.v[0] * b.v[3] * y; }
static double p(struct mixed m, double x) {
  double r = m.weight;
  for (int i = 0; i < m.power; i++) r *= x;
  return r;
}
static double many(struct view a, struct view b, struct view c, struct view d, struct two s) { /* out of registers */
  return a.data[0] * b.data[1] * c.data[0] * d.data[d.n - 1] * s.b;
}

static void check_all(void) {
  struct two s = {3, 5};
  check_value("const struct", __enzyme_autodiff((void *)f, enzyme_const, s, enzyme_out, 2.0), 15, 1e-14);
  struct two r = __enzyme_autodiff_two((void *)f, enzyme_out, s, enzyme_const, 2.0);
  check_value("out a", r.a, 10, 1e-14);
  check_value("out b", r.b, 6, 1e-14);
  struct two ds = {1, 0.5};
  check_value("tangent", __enzyme_fwddiff((void *)f, enzyme_dup, s, ds, enzyme_const, 2.0), 10 + 3, 1e-14);
  double x[3] = {1, 2, 3}, dx[3] = {0};
  struct view v = {x, 3}, dv = {dx, 3};
  __enzyme_autodiff((void *)g, enzyme_dup, v, dv, enzyme_const, 2.0);
  for (int i = 0; i < 3; i++) check_value("view", dx[i], 4 * x[i], 1e-14);
  double e[3] = {1, 0, 0};
  struct view dw = {e, 3};
  check_value("view forward", __enzyme_fwddiff((void *)g, v, dw, enzyme_const, 2.0), 4, 1e-14);
  struct big b = {{2, 0, 0, 7}}, db = {{0}};
  __enzyme_autodiff((void *)h, enzyme_dup, &b, &db, enzyme_const, 0.5);
  check_value("in memory", db.v[0], 3.5, 1e-14);
  check_value("const in memory", __enzyme_autodiff((void *)h, enzyme_const, b, enzyme_out, 0.5), 14, 1e-14);
  struct mixed m = {2, 3};
  check_value("mixed", __enzyme_autodiff((void *)p, enzyme_const, m, enzyme_out, 1.5), 2 * 3 * 2.25, 1e-14);
  double y[2] = {4, 5}, dy[2] = {0};
  struct view w = {y, 2}, dwy = {dy, 2};
  r = __enzyme_autodiff_two((void *)many, enzyme_dup, v, dv, enzyme_dup, w, dwy, enzyme_dup, v, dv, enzyme_dup, w, dwy,
                            enzyme_out, s);
  check_value("many", dy[1], 2 * x[0] * x[0] * y[1] * s.b, 1e-14);
  check_value("many a", r.a, 0, 1);
  check_value("many b", r.b, 25, 1e-14);
}

int main(void) {
  CHECK_ENGINE(check_all());
  return check_done();
}
