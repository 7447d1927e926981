/* Derivatives of derivatives of a function that finds out which of its pointers lead to constant memory. */
#include "check.h"
struct model {
  const double *w, *in;
  int n;
};
static double in0[3] = {0.3, 0.9, -0.4};
static NOINLINE double eval(const struct model *m) {
  double s = 0;
  for (int i = 0; i < m->n; i++) s += m->w[i] * m->in[i] * m->w[i] * m->w[(i + 1) % 3];
  return s;
}
static double f(const double *x, const double *c) {
  struct model m = {x, c, 3};
  return eval(&m) * x[1];
}
static double h(const double *x) {
  double d[3] = {0};
  __enzyme_autodiff((void *)f, enzyme_dup, x, d, enzyme_const, in0);
  return d[0] + 2 * d[1] * x[0] - d[2];
}
DERIVED(h)
static double h2(const double *x) {
  const double v[3] = {1, x[0], -2};
  return __enzyme_fwddiff((void *)f, enzyme_dup, x, v, enzyme_const, in0);
}
DERIVED(h2)
int main(void) {
  double x[3] = {0.6, 0.7, -0.55};
  CHECK_ENGINE(CHECK_DERIVED(h, x));
  CHECK_ENGINE(CHECK_DERIVED(h2, x));
  return check_done();
}
