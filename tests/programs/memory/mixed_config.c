/* A structure of a caller's, constant itself, copied and pointed at active memory. */
#include "check.h"
struct model {
  const double *w, *in;
  int n;
};
static double in0[3] = {0.3, 0.9, -0.4};
static struct model config = {in0, in0, 3};
static NOINLINE double eval(const struct model *m) {
  double s = 0;
  for (int i = 0; i < m->n; i++) s += m->w[i] * m->in[i] * m->w[i];
  return s;
}
static double f(const double *x, const struct model *c) {
  struct model m = *c;
  m.w = x;
  return eval(&m) * x[1];
}
static double o(const double *x) { return f(x, &config); }
static void g(const double *x, double *d) { __enzyme_autodiff((void *)f, enzyme_dup, x, d, enzyme_const, &config); }
static double t(const double *x, const double *v) {
  return __enzyme_fwddiff((void *)f, enzyme_dup, x, v, enzyme_const, &config);
}
int main(void) {
  double x[3] = {0.6, 0.7, -0.55};
  CHECK(o, g, t, x);
  return check_done();
}
