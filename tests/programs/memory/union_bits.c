/* Floats that travel as integers: unions, memcpy to uint64_t and back, arrays copied as bytes, sign tricks. */
#include "check.h"

union cell {
  double value;
  uint64_t bits;
};

static double through_union(double x) {
  union cell c;
  c.value = x * x;
  union cell d;
  d.bits = c.bits;
  return d.value * x;
}

static double through_memcpy(const double *x, int n) {
  uint64_t raw[8];
  double s = 0;
  for (int i = 0; i < n; i++) {
    double t = sin(x[i]);
    memcpy(&raw[i], &t, sizeof t);
  }
  for (int i = 0; i < n; i++) {
    double t;
    memcpy(&t, &raw[n - 1 - i], sizeof t);
    s += t * x[i];
  }
  return s;
}

static double sign_tricks(const double *x, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) {
    s += fabs(x[i]) * copysign(x[i], s) - -x[i];
    s = -fabs(s) * 0.5;
  }
  return s;
}

static void swap_bytes(double *a, double *b) {
  uint64_t p, q;
  memcpy(&p, a, 8);
  memcpy(&q, b, 8);
  memcpy(a, &q, 8);
  memcpy(b, &p, 8);
}
static double swapped(const double *x) {
  double a = x[0] * x[1], b = sin(x[1]);
  swap_bytes(&a, &b);
  return a * a + 3 * b;
}

static double union_objective(const double *x) { return through_union(x[0]); }
static void union_gradient(const double *x, double *g) { g[0] = __enzyme_autodiff((void *)through_union, x[0]); }
static void union_closed(const double *x, double *g) { g[0] = 3 * x[0] * x[0]; }
static double union_tangent(const double *x, const double *v) {
  return __enzyme_fwddiff((void *)through_union, enzyme_dup, x[0], v[0]);
}
static double memcpy_objective(const double *x) { return through_memcpy(x, 5); }
static void memcpy_gradient(const double *x, double *g) { __enzyme_autodiff((void *)through_memcpy, x, g, 5); }
static double memcpy_tangent(const double *x, const double *v) {
  return __enzyme_fwddiff((void *)through_memcpy, enzyme_dup, x, v, 5);
}
static double sign_objective(const double *x) { return sign_tricks(x, 5); }
static void sign_gradient(const double *x, double *g) { __enzyme_autodiff((void *)sign_tricks, x, g, 5); }
static double sign_tangent(const double *x, const double *v) {
  return __enzyme_fwddiff((void *)sign_tricks, enzyme_dup, x, v, 5);
}
static void swapped_gradient(const double *x, double *g) { __enzyme_autodiff((void *)swapped, x, g); }
static double swapped_tangent(const double *x, const double *v) {
  return __enzyme_fwddiff((void *)swapped, enzyme_dup, x, v);
}

int main(void) {
  double x[1] = {0.7}, y[5] = {0.6, -0.45, 0.8, 0.5, -1.2}, z[2] = {0.4, 1.3};
  CHECK_CLOSED(union_objective, union_gradient, union_closed, union_tangent, x);
  CHECK(memcpy_objective, memcpy_gradient, memcpy_tangent, y);
  CHECK(sign_objective, sign_gradient, sign_tangent, y);
  CHECK(swapped, swapped_gradient, swapped_tangent, z);
  return check_done();
}
