/* Functions of one number side by side, each in the other's derivative: before and behind it, in other blocks and loops,
 * in memory that is overwritten, in other formats, at zeros and infinities. */
#include "check.h"
static double turned(const double *p) { /* cosine first, sine first */
  double c = cos(p[0]), s = sin(p[0]), u = sin(p[1]), v = cos(p[1]);
  return c * p[2] - s * u + v * v * p[0];
}
DERIVED(turned)
static double overwritten(const double *p) { /* the angle lies where the next one will */
  double x[3] = {p[0], p[1], p[2]}, sum = 0;
  for (int i = 0; i < 7; i++) {
    double c = cos(x[i % 3]);
    x[(i + 1) % 3] = x[i % 3] + 0.2 * c;
    x[i % 3] = 0.5 * c;
    double s = sin(x[i % 3]);
    x[i % 3] = s + cos(x[i % 3]) * x[(i + 1) % 3];
    sum += x[i % 3] * s;
  }
  return sum;
}
DERIVED(overwritten)
static double branches(const double *p) { /* one of the two runs always, the other now and then */
  double sum = 0;
  for (int i = 0; i < 6; i++) {
    double x = p[i % 3] * (i + 1), c = cos(x);
    if (i & 1) sum += sin(x) * c;
    else if (c > 0.2) sum += sinh(x) + (i > 2 ? cosh(x) : x);
    sum += i == 4 ? cosh(x) * p[1] : c;
  }
  return sum;
}
DERIVED(branches)
static double loops(const double *p) { /* in front of a loop, inside of it, behind it; loops that do not run */
  double x = p[0] * p[1], s = sin(x), sum = 0;
  for (int i = 0; i < (int)p[2]; i++) {
    sum += cos(x) * (i + p[1]);
    for (int k = i; k < 2; k++) sum += sin(x + sum) * cos(x + sum);
    x += 0.1 * sin(x);
  }
  return sum + s * cos(x) + cos(p[0] * p[1]);
}
DERIVED(loops)
static NOINLINE double power(double x, double y) { return pow(x, y) * log(x) + atan2(y, x); }
static double others(const double *p) {
  float f = (float)p[0], g = sinf(f) * cosf(f);
  long double l = p[1], m = sinl(l) - cosl(l) * l;
  return power(p[2] + 2, p[0]) + pow(p[2] + 3, p[1]) * log(p[2] + 3) + (double)(0 * g) + (double)m;
}
DERIVED(others)
static NOINLINE double guarded(const double *p) { /* an infinite angle, whose sine is NaN, spoils nothing else */
  double s = sin(p[0]), c = cos(p[0]);
  return (p[0] < 1e300 ? s * c : 0.0) + p[1] * p[1];
}
static NOINLINE float narrow(const float *p) { return sinf(p[0]) * cosf(p[0]) * p[1]; }
int main(void) {
  double a[] = {0.7, -1.3, 2.1}, b[] = {-2.5, 0.3, 3.9}, none[] = {0.4, 1.1, -3.0 + 1.5};
  CHECK_DERIVED(turned, a); CHECK_DERIVED(turned, b);
  CHECK_DERIVED(overwritten, a); CHECK_DERIVED(overwritten, b);
  CHECK_DERIVED(branches, a); CHECK_DERIVED(branches, b);
  CHECK_DERIVED(loops, a); CHECK_DERIVED(loops, b); CHECK_DERIVED(loops, none);
  CHECK_DERIVED(others, a); CHECK_DERIVED(others, b);
#ifndef REFERENCE
  double far[] = {INFINITY, 1.5}, zero[] = {-0.0, 2.0}, d[2] = {0, 0};
  __enzyme_autodiff((void *)guarded, enzyme_dup, far, d);
  check_value("beside it", d[1], 3.0, 0);
  d[0] = d[1] = 0;
  __enzyme_autodiff((void *)guarded, enzyme_dup, zero, d);
  check_value("at zero", d[0], 1.0, 0);
  float q[] = {0.6f, 2.0f}, dq[] = {0, 0};
  __enzyme_autodiff((void *)narrow, enzyme_dup, q, dq);
  check_value("narrow", dq[0], 2 * cos(1.2), 1e-6);
#endif
  return check_done();
}
