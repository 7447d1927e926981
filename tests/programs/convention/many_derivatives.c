/* Several derivatives of one function in one program: reverse and forward, other activities, of its callee as well. */
#include "check.h"

static NOINLINE double inner(const double *x, double k) { return x[0] * sin(k * x[1]) + k * k; }
static double outer(const double *x, const double *y, double k) { return inner(x, k) * inner(y, inner(x, y[0])) + k; }

static double full(const double *z) { return outer(z, z + 2, z[4]); }
static void full_gradient(const double *z, double *g) {
  g[4] = __enzyme_autodiff((void *)outer, enzyme_dup, z, g, enzyme_dup, z + 2, g + 2, enzyme_out, z[4]);
}
static void one_by_one(const double *z, double *g) {
  __enzyme_autodiff((void *)outer, enzyme_dup, z, g, enzyme_const, z + 2, enzyme_const, z[4]);
  __enzyme_autodiff((void *)outer, enzyme_const, z, enzyme_dup, z + 2, g + 2, enzyme_const, z[4]);
  g[4] = __enzyme_autodiff((void *)outer, enzyme_const, z, enzyme_const, z + 2, enzyme_out, z[4]);
}
static double full_tangent(const double *z, const double *v) {
  return __enzyme_fwddiff((void *)outer, enzyme_dup, z, v, enzyme_dup, z + 2, v + 2, enzyme_dup, z[4], v[4]);
}
static double sum_of_tangents(const double *z, const double *v) {
  return __enzyme_fwddiff((void *)outer, enzyme_dup, z, v, enzyme_const, z + 2, enzyme_const, z[4]) +
         __enzyme_fwddiff((void *)outer, enzyme_const, z, enzyme_dup, z + 2, v + 2, enzyme_const, z[4]) +
         __enzyme_fwddiff((void *)outer, enzyme_const, z, enzyme_const, z + 2, enzyme_dup, z[4], v[4]);
}
static double callee(const double *z) { return inner(z, z[4]); }
static void callee_gradient(const double *z, double *g) {
  g[4] = __enzyme_autodiff((void *)inner, enzyme_dup, z, g, enzyme_out, z[4]);
}
static double callee_tangent(const double *z, const double *v) {
  return __enzyme_fwddiff((void *)inner, enzyme_dup, z, v, enzyme_dup, z[4], v[4]);
}

int main(void) {
  double z[5] = {0.6, 0.45, 0.3, 0.8, -0.7};
  CHECK(full, full_gradient, full_tangent, z);
  CHECK(full, one_by_one, sum_of_tangents, z);
  CHECK(callee, callee_gradient, callee_tangent, z);
  return check_done();
}
