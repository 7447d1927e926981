/* __enzyme_fwdsplit: tangents of what __enzyme_augmentfwd has run; the tape can serve both directions. */
#include "check.h"
extern void *__enzyme_augmentfwd(void *, ...);
extern double __enzyme_fwdsplit(void *, ...);
extern double __enzyme_reverse(void *, ...);
extern int enzyme_nofree;

static double f(double x, double y) {
  double t[4] = {x, y, x * y, 1}, s = 0;
  for (int i = 0; i < 4; i++) s += sin(t[i]) * t[(i + 1) % 4];
  return s;
}
static double forward(const double *x, const double *v) {
  return __enzyme_fwddiff((void *)f, enzyme_dup, x[0], v[0], enzyme_dup, x[1], v[1]);
}
static double of_array(const double *x) { return f(x[0], x[1]); }

static void check_all(void) {
  double x[2] = {0.4, 1.7}, v[2] = {0.3, -2};
  void *tape = __enzyme_augmentfwd((void *)f, x[0], x[1]);
  double t = __enzyme_fwdsplit((void *)f, enzyme_nofree, enzyme_dup, x[0], v[0], enzyme_dup, x[1], v[1], tape);
  check_value("tangent", t, forward(x, v), 1e-14);
  check_value("tangent again", __enzyme_fwdsplit((void *)f, x[0], v[0], x[1], v[1], tape), t, 1e-14);
  double gx = __enzyme_reverse((void *)f, x[0], enzyme_const, x[1], 1.0,
                                 __enzyme_augmentfwd((void *)f, x[0], enzyme_const, x[1]));
  check_value("gradient", gx, forward(x, (double[]){1, 0}), 1e-13);
  tape = __enzyme_augmentfwd((void *)f, x[0], x[1]);
  check_value("tangent", __enzyme_fwdsplit((void *)f, x[0], 1.0, x[1], 0.0, tape), forward(x, (double[]){1, 0}), 1e-14);
}

int main(void) {
  double x[2] = {0.4, 1.7};
  CHECK(of_array, 0, forward, x);
  CHECK_ENGINE(check_all());
  return check_done();
}
