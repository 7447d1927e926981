/* Inner loops that are not entered, and whose number of rounds would be billions if it were asked for there: the tape of
   the nest has room for none. */
#include "check.h"

NOINLINE static double up(const double *x, int n, int m) {
  double r = 0;
  for (int i = 0; i < n; i++) {
    double t = x[i];
    for (int j = 0; j < m; j++) t = sin(t * x[j]);
    r += t;
  }
  return r;
}
NOINLINE static double down(const double *x, int n, int m) {
  double r = 0;
  for (int i = 0; i < n; i++) {
    double t = x[i];
    for (int j = m - 2; j >= 0; j--) t = sin(t * x[j]);
    r += t * t;
  }
  return r;
}
NOINLINE static double unsigned_down(const double *x, int n, int m) {
  double r = 0;
  for (int i = 0; i < n; i++) {
    double t = x[i];
    if (m > 2)
      for (unsigned j = m - 2; j > 0; j--) t = sin(t * x[j]);
    r += t * t;
  }
  return r;
}
NOINLINE static double from_three(const double *x, int n, int m) {
  double r = 0;
  for (int i = 0; i < n; i++) {
    double t = x[i];
    for (int j = 3; j < m - 2; j++) t = sin(t * x[j]);
    r += t * t;
  }
  return r;
}

static int size;
#define DERIVED_WITH_SIZE(f) \
  static double f##_of(const double *x) { return f(x, 6, size); } \
  static void f##_gradient(const double *x, double *g) { \
    __enzyme_autodiff((void *)f, enzyme_dup, x, g, enzyme_const, 6, enzyme_const, size); \
  } \
  static double f##_tangent(const double *x, const double *v) { \
    return __enzyme_fwddiff((void *)f, enzyme_dup, x, v, enzyme_const, 6, enzyme_const, size); \
  }
DERIVED_WITH_SIZE(up)
DERIVED_WITH_SIZE(down)
DERIVED_WITH_SIZE(unsigned_down)
DERIVED_WITH_SIZE(from_three)

int main(void) {
  double x[6] = {0.3, 0.5, 0.7, 0.9, 1.1, 1.3};
  static const int sizes[] = {6, 1, 0, -5, 2, 3};
  for (int k = 0; k < COUNT(sizes); k++) {
    size = sizes[k];
    CHECK(up_of, up_gradient, up_tangent, x);
    CHECK(down_of, down_gradient, down_tangent, x);
    CHECK(unsigned_down_of, unsigned_down_gradient, unsigned_down_tangent, x);
    CHECK(from_three_of, from_three_gradient, from_three_tangent, x);
  }
  return check_done();
}
