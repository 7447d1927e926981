/* Second derivatives of one objective by every nesting, against differences of its gradient.
 *
 * SECOND(f, n) defines the adapters for `double f(const double *x)` of n inputs; second_check compares the products of
 * the Hessian with directions. Differences are of the first derivative, which the first-order programs check.
 */
#ifndef SECOND_H
#define SECOND_H
#include "../check.h"

typedef void (*product_fn)(const double *x, const double *v, double *out); /* out arrives zeroed */

#define SECOND_REVERSE(f, n)                                                                                     \
  static void f##_gradient(const double *x, double *g) { __enzyme_autodiff((void *)f, enzyme_dup, x, g); }       \
  static double f##_slope_by_reverse(const double *x, const double *v) {                                         \
    double g[n] = {0}, sum = 0;                                                                                  \
    f##_gradient(x, g);                                                                                          \
    for (int i = 0; i < (n); i++) sum += g[i] * v[i];                                                            \
    return sum;                                                                                                  \
  }
#define SECOND_FORWARD(f, n)                                                                                     \
  static double f##_slope(const double *x, const double *v) {                                                    \
    return __enzyme_fwddiff((void *)f, enzyme_dup, x, v);                                                        \
  }
#define SECOND_FR(f, n)                                                                                          \
  static void f##_fr(const double *x, const double *v, double *out) {                                            \
    double g[n] = {0};                                                                                           \
    __enzyme_fwddiff((void *)f##_gradient, enzyme_dup, x, v, enzyme_dup, g, out);                                \
  }
#define SECOND_RF(f, n)                                                                                          \
  static void f##_rf(const double *x, const double *v, double *out) {                                            \
    __enzyme_autodiff((void *)f##_slope, enzyme_dup, x, out, enzyme_const, v);                                   \
  }
#define SECOND_RR(f, n)                                                                                          \
  static void f##_rr(const double *x, const double *v, double *out) {                                            \
    __enzyme_autodiff((void *)f##_slope_by_reverse, enzyme_dup, x, out, enzyme_const, v);                        \
  }
#define SECOND_FF(f, n)                                                                                          \
  static void f##_ff(const double *x, const double *v, double *out) {                                            \
    for (int i = 0; i < (n); i++) {                                                                              \
      double w[n] = {0};                                                                                         \
      w[i] = 1;                                                                                                  \
      out[i] = __enzyme_fwddiff((void *)f##_slope, enzyme_dup, x, w, enzyme_const, v);                           \
    }                                                                                                            \
  }

static NOINLINE void second_check(const char *name, objective_fn f, gradient_fn gradient, product_fn product,
                                  const double *x, int n, double relative) {
  char label[160];
  snprintf(label, sizeof label, "%s", name);
  for (int c = 0; c < n && c < 8; c++) {
    double v[CHECK_MAX], got[CHECK_MAX], largest = 0, expected[CHECK_MAX];
    for (int i = 0; i < n; i++) v[i] = c == 0 ? cos(1.0 + 2.3 * i) : i == c;
    memset(got, 0, sizeof got);
    product(x, v, got);
    double step[4][CHECK_MAX], y[CHECK_MAX];
    for (int s = 0; s < 4; s++) { /* x +- h v, x +- h/2 v */
      double h = 1e-3 * (s < 2 ? 1 : 0.5) * (s & 1 ? -1 : 1);
      for (int i = 0; i < n; i++) y[i] = x[i] + h * v[i];
      memset(step[s], 0, sizeof step[s]);
      gradient(y, step[s]);
    }
    for (int i = 0; i < n; i++) {
      double a = (step[0][i] - step[1][i]) / 2e-3, b = (step[2][i] - step[3][i]) / 1e-3;
      expected[i] = b + (b - a) / 3;
      if (fabs(expected[i]) > largest) largest = fabs(expected[i]);
    }
    for (int i = 0; i < n; i++)
      check_close(label, i, got[i], expected[i], relative * (fabs(expected[i]) + 0.1 * largest) + 1e-9);
  }
  (void)f;
}

#ifdef REFERENCE
#define SECOND(f, n)
#define SECOND_CHECK(f, x, n) ((void)0)
#else
#define SECOND(f, n) SECOND_REVERSE(f, n) SECOND_FORWARD(f, n) SECOND_FR(f, n) SECOND_RF(f, n) SECOND_RR(f, n) SECOND_FF(f, n)
#define SECOND_CHECK(f, x, n)                                                            \
  (second_check(#f ": forward over reverse", f, f##_gradient, f##_fr, x, n, 1e-5),       \
   second_check(#f ": reverse over forward", f, f##_gradient, f##_rf, x, n, 1e-5),       \
   second_check(#f ": reverse over reverse", f, f##_gradient, f##_rr, x, n, 1e-5),       \
   second_check(#f ": forward over forward", f, f##_gradient, f##_ff, x, n, 1e-5))
#endif

#endif
