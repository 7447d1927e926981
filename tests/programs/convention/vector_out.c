/* Lanes of numbers passed by value: gradients returned, tangents passed, of several formats, and the result beside. */
#include "check.h"
extern int enzyme_width, enzyme_primal_return;

struct reverse {
  double x[3];
  float y[3];
  double z[3];
};
struct forward {
  double t[3];
};
struct with_value {
  double value, t[2];
};
extern struct reverse __enzyme_autodiff_three(void *, ...);
extern struct forward __enzyme_fwddiff_three(void *, ...);
extern struct with_value __enzyme_fwddiff_both(void *, ...);

static NOINLINE double mix(double a, float b) { return a * b + sin(a); }
static double f(double x, float y, double z, double *p) {
  double s = mix(x, y) * z;
  *p += s * x;
  return s * *p;
}
static double g(double x, double y) { return mix(x * y, 2.0f); }

static void check_all(void) {
  double x = 0.6, z = 1.4, p = 0.3, s = mix(x, 0.75f) * z, q = p + s * x;
  double sx = (0.75 + cos(x)) * z, sy = x * z, sz = mix(x, 0.75f);
  double dp[3] = {0, 1, -2};
  struct reverse r = __enzyme_autodiff_three((void *)f, enzyme_width, 3, x, 0.75f, z, &p, &dp[0], &dp[1], &dp[2]);
  for (int k = 0; k < 3; k++) {
    double after = (k == 0 ? 0 : k == 1 ? 1 : -2) + s; /* what p's adjoint is before the last statement, going back */
    check_value("x", r.x[k], sx * q + after * (sx * x + s), 1e-12);
    check_value("y", r.y[k], sy * q + after * sy * x, 1e-5);
    check_value("z", r.z[k], sz * q + after * sz * x, 1e-12);
    check_value("p", dp[k], after, 1e-12);
  }
  p = 0.3;
  double tp[3] = {0, 0.5, 0};
  struct forward t = __enzyme_fwddiff_three((void *)f, enzyme_width, 3, x, 1.0, 0.0, 2.0, 0.75f, 0.0f, 0.0f, 1.0f, z, 0.0, 0.0,
                                            -1.0, &p, &tp[0], &tp[1], &tp[2]);
  double tx[3] = {1, 0, 2}, ty[3] = {0, 0, 1}, tz[3] = {0, 0, -1}, before[3] = {0, 0.5, 0};
  for (int k = 0; k < 3; k++) {
    double ts = sx * tx[k] + sy * ty[k] + sz * tz[k], tq = before[k] + ts * x + s * tx[k];
    check_value("tangent", t.t[k], ts * q + s * tq, 1e-6);
    check_value("tangent of p", tp[k], tq, 1e-6);
  }
  struct with_value w = __enzyme_fwddiff_both((void *)g, enzyme_primal_return, enzyme_width, 2, x, 1.0, 0.0, z, 0.0, 1.0);
  check_value("value", w.value, g(x, z), 1e-14);
  check_value("by x", w.t[0], (2 + cos(x * z)) * z, 1e-13);
  check_value("by z", w.t[1], (2 + cos(x * z)) * x, 1e-13);
}

int main(void) {
  CHECK_ENGINE(check_all());
  return check_done();
}
