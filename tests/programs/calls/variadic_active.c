/* Active numbers through ...: refused, with the function's name. */
// refused: variadic
#include "check.h"
#include <stdarg.h>

static NOINLINE double sum(int n, ...) {
  va_list list;
  double s = 0;
  va_start(list, n);
  for (int i = 0; i < n; i++) s += va_arg(list, double);
  va_end(list);
  return s;
}
static double f(const double *x) { return sum(3, x[0], x[1] * x[1], 2.0) * x[2]; }
DERIVED(f)

int main(void) {
  double x[3] = {0.6, 0.7, -0.55};
  CHECK_DERIVED(f, x);
  return check_done();
}
