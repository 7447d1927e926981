/* Several derivatives at once, and the two halves apart, of functions whose structures lead to constant memory, too. */
#include "check.h"
static double input[4] = {0.3, 0.9, -0.4, 1.2};
#define BOTH(f)                                                                                                        \
  static double f##_o(const double *x) { return f(x, input, 3); }                                                      \
  static void f##_g(const double *x, double *d) {                                                                      \
    __enzyme_autodiff((void *)f, enzyme_dup, x, d, enzyme_const, input, enzyme_const, 3);                              \
  }                                                                                                                    \
  static double f##_t(const double *x, const double *v) {                                                              \
    return __enzyme_fwddiff((void *)f, enzyme_dup, x, v, enzyme_const, input, enzyme_const, 3);                        \
  }

extern int enzyme_width;
struct two {
  double a, b;
};
extern struct two __enzyme_fwddiff_two(void *, ...);
struct pair {
  const double *w, *in;
};
static NOINLINE double eval(const struct pair *m, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) s += m->w[i] * m->in[i] * m->w[i];
  return s;
}
static double wide(const double *x, const double *c, int n) {
  struct pair m = {x, c};
  return eval(&m, n) * x[1];
}
BOTH(wide)

extern void *__enzyme_augmentfwd(void *, ...);
extern void __enzyme_reverse(void *, ...);
struct layer {
  const double *w, *in;
  double *out;
};
static NOINLINE void apply(const struct layer *m, int n) {
  for (int i = 0; i < n; i++) m->out[i] = m->w[i] * m->in[i] * m->w[i] + m->out[i];
}
static double layered(const double *x, const double *c, int n) {
  double out[4] = {0};
  struct layer m = {x, c, out};
  apply(&m, n);
  m.w = out;
  apply(&m, n);
  return out[0] + out[1] * out[2];
}
BOTH(layered)

#ifndef REFERENCE
static void lanes(double *x) {
  double u[3] = {1, 0.5, -1}, v[3] = {0, 2, 0.3};
  struct two r =
      __enzyme_fwddiff_two((void *)wide, enzyme_width, 2, enzyme_dup, x, u, v, enzyme_const, input, enzyme_const, 3);
  check_value("lane 0", r.a, wide_t(x, u), 1e-12);
  check_value("lane 1", r.b, wide_t(x, v), 1e-12);
  double d0[3] = {0}, d1[3] = {0}, g[3] = {0};
  __enzyme_autodiff((void *)wide, enzyme_width, 2, enzyme_dup, x, d0, d1, enzyme_const, input, enzyme_const, 3);
  wide_g(x, g);
  for (int i = 0; i < 3; i++) {
    check_value("g0", d0[i], g[i], 1e-12);
    check_value("g1", d1[i], g[i], 1e-12);
  }
  check_value("input", input[0] + input[1] + input[2], 0.8, 1e-15);
}
static void halves(double *x) {
  double d[3] = {0}, g[3] = {0};
  void *tape = __enzyme_augmentfwd((void *)layered, enzyme_dup, x, d, enzyme_const, input, enzyme_const, 3);
  __enzyme_reverse((void *)layered, enzyme_dup, x, d, enzyme_const, input, enzyme_const, 3, 1.0, tape);
  layered_g(x, g);
  for (int i = 0; i < 3; i++) check_value("split", d[i], g[i], 1e-12);
}
#endif

int main(void) {
  double x[3] = {0.6, 0.7, -0.55};
  CHECK_N(wide_o, wide_g, wide_t, x, 3);
  CHECK_N(layered_o, layered_g, layered_t, x, 3);
  CHECK_ENGINE(lanes(x));
  CHECK_ENGINE(halves(x));
  return check_done();
}
