/* Nothing here asks for errno: calls of mathematical functions whose value the derivative does not need are dropped, the
 * others may move. Zeros, infinities and NaN stay what they are, also behind branches that are there to keep them away. */
#include "check.h"
static double cubes(const double *p) { /* the powers themselves are not needed */
  double s = 0;
  for (int i = 0; i < 4; i++)
    if (p[i] > 0) s += p[3 - i] * 0.5 + pow(p[i], 3.0);
  return s;
}
DERIVED(cubes)
static double guarded(const double *p) {
  double s = 0;
  for (int i = 0; i < 4; i++) {
    double root = p[i] >= 0 ? sqrt(p[i] + 1e-3) : 0.0;
    s += p[i] > 0.1 ? log(p[i]) * root : root * root;
  }
  return s;
}
DERIVED(guarded)
/* What is computed twice may be computed once, but not with what is stored in between. */
static double again(const double *p) {
  double x[4], s = 0;
  for (int i = 0; i < 4; i++) x[i] = p[i];
  for (int k = 0; k < 3; k++)
    for (int i = 0; i < 4; i++) {
      s += exp(x[i]) * p[i];
      x[i] = 0.3 * sin(x[i]) + 0.1 * k;
      s += exp(x[i]);
    }
  return s;
}
DERIVED(again)
static NOINLINE double helper(double x, double y) { return hypot(x, y) + fmod(x, 1.7) * atan2(y, x) + tgamma(x); }
static double through(const double *p) {
  int n = 0;
  double s = 0;
  while (n < 6) {
    s = 0.5 * helper(1.1 + p[n % 4] * p[n % 4], s + p[(n + 1) % 4]);
    n += 1 + (s > 100);
  }
  return s;
}
DERIVED(through)
static double none(const double *p) { /* a loop that never runs, around functions that would say no */
  double s = p[0];
  for (int i = 4; i < (int)p[1]; i++) s += log(-1.0 - p[i % 4] * p[i % 4]);
  return s * p[2];
}
DERIVED(none)
static NOINLINE double special(const double *p) { return pow(p[0], 2.5) + log(p[1]) * p[2]; }
int main(void) {
  double a[] = {0.7, -1.3, 2.1, 0.4}, b[] = {-0.5, 0.3, 0.05, 1.9};
  CHECK_DERIVED(cubes, a); CHECK_DERIVED(cubes, b);
  CHECK_DERIVED(guarded, a); CHECK_DERIVED(guarded, b);
  CHECK_DERIVED(again, a); CHECK_DERIVED(again, b);
  CHECK_DERIVED(through, a); CHECK_DERIVED(through, b);
  CHECK_DERIVED(none, a); CHECK_DERIVED(none, b);
#ifndef REFERENCE
  double edge[] = {0.0, 0.0, 0.0}, out[] = {INFINITY, -1.0, NAN}, d[3] = {0, 0, 0};
  __enzyme_autodiff((void *)special, enzyme_dup, edge, d);
  check_value("0 ^ 2.5", d[0], 0.0, 0);
  check_value("log 0", d[2] == -INFINITY, 1, 0);
  d[0] = d[1] = d[2] = 0;
  __enzyme_autodiff((void *)special, enzyme_dup, out, d);
  check_value("infinity ^ 1.5", d[0] == INFINITY, 1, 0);
  check_value("log of -1", d[2] != d[2], 1, 0);
#endif
  return check_done();
}
