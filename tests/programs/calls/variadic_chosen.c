/* Active numbers through the ... of a function that is only known when the program runs. */
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
static NOINLINE double last(int n, ...) {
  va_list list;
  double s = 0;
  va_start(list, n);
  for (int i = 0; i < n; i++) s = va_arg(list, double);
  va_end(list);
  return s;
}
double (*chosen)(int, ...) = sum;
static double f(const double *x) { return chosen(3, x[0], x[1] * x[1], 2.0) * x[2]; }
DERIVED(f)

int main(int count, char **words) {
  double x[3] = {0.6, 0.7, -0.55};
  if (count > 1) chosen = last;
  CHECK_DERIVED(f, x);
  return check_done();
}
