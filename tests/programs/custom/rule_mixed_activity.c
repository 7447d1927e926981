/* The same function with a rule, called with every mix of active and constant arguments. */
#include "check.h"

static NOINLINE double form(double a, const double *p, double b, const double *q, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) s += a * p[i] * p[i] + b * q[i] * p[i];
  return s;
}
#ifndef REFERENCE
static double form_up(double a, const double *p, double *dp, double b, const double *q, double *dq, int n) {
  return form(a, p, b, q, n);
}
struct ab { double a, b; };
static struct ab form_back(double a, const double *p, double *dp, double b, const double *q, double *dq, int n,
                           double seed) {
  struct ab g = {0, 0};
  for (int i = 0; i < n; i++) {
    g.a += seed * p[i] * p[i];
    g.b += seed * q[i] * p[i];
    if (dp) dp[i] += seed * (2 * a * p[i] + b * q[i]);
    if (dq) dq[i] += seed * b * p[i];
  }
  return g;
}
static double form_forward(double a, double da, const double *p, const double *dp, double b, double db, const double *q,
                           const double *dq, int n) {
  double t = 0;
  for (int i = 0; i < n; i++) {
    t += da * p[i] * p[i] + db * q[i] * p[i];
    if (dp) t += dp[i] * (2 * a * p[i] + b * q[i]);
    if (dq) t += dq[i] * b * p[i];
  }
  return t;
}
void *__enzyme_register_gradient_form[] = {(void *)form, (void *)form_up, (void *)form_back};
void *__enzyme_register_derivative_form[] = {(void *)form, (void *)form_forward};
#endif

static const double fixed[3] = {0.5, -1, 2};
static double all(const double *z) { return form(z[0], z + 2, z[1], z + 5, 3); }
static double scalars(const double *z) { return form(z[0], fixed, z[1], fixed, 3); }
static double vectors(const double *z) { return form(2, z, 3, fixed, 3); }
static double other(const double *z) { return form(2, fixed, z[3], z, 3); }
static double twice(const double *z) { return form(form(z[0], z, 1, fixed, 3), fixed, z[1], z, 3); }

#define ADAPTERS(f) \
  static void f##_reverse(const double *z, double *g) { __enzyme_autodiff((void *)f, z, g); } \
  static double f##_forward(const double *z, const double *v) { return __enzyme_fwddiff((void *)f, z, v); }
ADAPTERS(all)
ADAPTERS(scalars)
ADAPTERS(vectors)
ADAPTERS(other)
ADAPTERS(twice)

int main(void) {
  double z[8] = {0.7, -1.1, 0.3, 1.2, -0.8, 0.9, 0.4, 1.7};
  CHECK(all, all_reverse, all_forward, z);
  CHECK(scalars, scalars_reverse, scalars_forward, z);
  CHECK(vectors, vectors_reverse, vectors_forward, z);
  CHECK(other, other_reverse, other_forward, z);
  CHECK(twice, twice_reverse, twice_forward, z);
  return check_done();
}
