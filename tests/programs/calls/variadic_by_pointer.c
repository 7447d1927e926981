// Variadic functions that are called through pointers, with lists of several types.
#include <stdarg.h>

#include "check.h"

static double sum(int n, ...) {
  va_list a;
  va_start(a, n);
  double s = 0;
  for (int i = 0; i < n; i++) {
    double v = va_arg(a, double);
    s += v * v;
  }
  va_end(a);
  return s;
}
static double product(int n, ...) {
  va_list a;
  va_start(a, n);
  double s = 1;
  for (int i = 0; i < n; i++) s *= va_arg(a, double);
  va_end(a);
  return s;
}
static double first(int n, ...) { return n; }
static double behind(int n, ...) {
  va_list a;
  va_start(a, n);
  const double *p = va_arg(a, const double *);
  double s = p[0] * va_arg(a, double) * va_arg(a, int);
  va_end(a);
  return s;
}
double (*volatile which[4])(int, ...) = {sum, product, first, behind};
static double f(const double *x) {
  double s = which[0](2, x[0], x[1]) + which[1](3, x[0], x[1], x[0]);
  return s + which[2](1, x[0]) * x[1] + which[3](0, x + 1, x[0] * x[1], 3);
}
DERIVED(f)

int main(void) {
  double x[] = {0.7, 1.3};
  CHECK_DERIVED(f, x);
  return check_done();
}
