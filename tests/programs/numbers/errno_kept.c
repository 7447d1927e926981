/* A program that reads errno finds there, after a derivative, what the function itself would have left. */
#include <errno.h>
#include "check.h"
static double logs(const double *p) {
  double s = 0;
  for (int i = 0; i < 3; i++) s += log(p[i]) * p[i];
  return s;
}
static double powers(const double *p) {
  double s = 0;
  for (int i = 0; i < 3; i++) s += pow(p[i], -3.0);
  return s;
}
/* Whether errno was set decides what is computed. */
static double decides(const double *p) {
  errno = 0;
  double a = log(p[0]);
  return errno ? p[1] * p[2] : a * p[1];
}
DERIVED(decides)
static void left_by(const char *name, objective_fn f, double *p, int expected) {
  double d[3] = {0, 0, 0};
  errno = 0;
  f(p);
  check_value(name, errno, expected, 0);
#ifndef REFERENCE
  errno = 0;
  if (f == logs) __enzyme_autodiff((void *)logs, enzyme_dup, p, d);
  else __enzyme_autodiff((void *)powers, enzyme_dup, p, d);
  check_value(name, errno, expected, 0);
  errno = 0;
  if (f == logs) __enzyme_fwddiff((void *)logs, enzyme_dup, p, d);
  else __enzyme_fwddiff((void *)powers, enzyme_dup, p, d);
  check_value(name, errno, expected, 0);
#endif
}
int main(void) {
  double good[] = {1.5, 0.7, 2.0}, zero[] = {1.5, 0.0, 2.0}, below[] = {-1.0, 2.5, 3.5};
  left_by("logs", logs, good, 0);
  left_by("logs of a negative number", logs, below, EDOM);
  left_by("powers", powers, good, 0);
  left_by("powers of zero", powers, zero, ERANGE);
  CHECK_DERIVED(decides, good);
  CHECK_DERIVED(decides, below);
  return check_done();
}
