/* Functions under #pragma STDC FENV_ACCESS ON, which call ones that are not, and the other way round. */
#include <fenv.h>
#include "check.h"
static NOINLINE double plain(double x) { return x * x + 1 / x; }
#pragma STDC FENV_ACCESS ON
static NOINLINE double strict(double x, double y) {
  double s = x * y;
  for (int i = 1; i < 4; i++) {
    if (s > i) s = s / (i + x);
    else s = s * y + i;
  }
  return sqrt(s * s + 1) * plain(x) - (float)0;
}
static double rounded(const double *p) {
  int before = fegetround();
  double s = strict(p[0], p[1]);
  fesetround(before);
  feclearexcept(FE_ALL_EXCEPT);
  return s * p[1];
}
#pragma STDC FENV_ACCESS OFF
DERIVED(rounded)
static double mixed(const double *p) { return plain(strict(p[0], p[1])) * p[0]; }
DERIVED(mixed)
int main(void) {
  double a[] = {0.7, 1.3}, b[] = {2.2, 0.4};
  CHECK_DERIVED(rounded, a); CHECK_DERIVED(rounded, b);
  CHECK_DERIVED(mixed, a); CHECK_DERIVED(mixed, b);
  return check_done();
}
