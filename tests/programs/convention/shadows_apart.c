/* enzyme_interleave: all arguments first, their shadows behind them, then what else a call needs. */
#include "check.h"

extern int enzyme_interleave, enzyme_width;
extern void *__enzyme_augmentfwd(void *, ...);
extern double __enzyme_reverse(void *, ...);
struct two { double lane[2]; };
extern struct two __enzyme_fwddiff_two(void *, ...);

static double f(const double *x, const double *y, int n, double scale) {
  double s = 0;
  for (int i = 0; i < n; i++) s += scale * x[i] * y[i] * y[i];
  return s;
}

#ifndef REFERENCE
static void apart(const double *x, const double *y) {
  double dx[2] = {0}, dy[2] = {0};
  double ds = __enzyme_autodiff((void *)f, enzyme_dup, x, enzyme_dup, y, enzyme_const, 2, enzyme_out, 0.5, enzyme_interleave,
                                dx, dy);
  check_value("dx", dx[1], 0.5 * y[1] * y[1], 1e-14);
  check_value("dy", dy[0], x[0] * y[0], 1e-14);
  check_value("ds", ds, x[0] * y[0] * y[0] + x[1] * y[1] * y[1], 1e-14);

  double vx[2] = {1, 0}, vy[2] = {0, 1};
  check_value("forward", __enzyme_fwddiff((void *)f, enzyme_dup, x, enzyme_dup, y, enzyme_const, 2, 0.5, enzyme_interleave, vx,
                                          vy, 2.0),
              0.5 * y[0] * y[0] + x[1] * y[1] + 2 * ds, 1e-14);
  struct two r = __enzyme_fwddiff_two((void *)f, enzyme_width, 2, enzyme_dup, x, enzyme_const, y, 2, enzyme_const, 0.5,
                                      enzyme_interleave, vx, vy);
  check_value("lane 0", r.lane[0], 0.5 * y[0] * y[0], 1e-14);
  check_value("lane 1", r.lane[1], 0.5 * y[1] * y[1], 1e-14);

  double ex[2] = {0}, ey[2] = {0};
  void *tape = __enzyme_augmentfwd((void *)f, x, enzyme_const, y, 2, enzyme_const, 0.5, enzyme_interleave, ex);
  __enzyme_reverse((void *)f, x, enzyme_const, y, 2, enzyme_const, 0.5, enzyme_interleave, ex, 3.0, tape);
  check_value("split", ex[0], 3 * 0.5 * y[0] * y[0], 1e-14);
}
#endif

int main(void) {
  double x[2] = {1, 2}, y[2] = {3, 4};
  check_value("value", f(x, y, 2, 0.5), 20.5, 1e-14);
  CHECK_ENGINE(apart(x, y));
  return check_done();
}
