/* Rules of functions of numbers in derivatives of several directions: each direction calls the rule once. */
#include "check.h"

extern int enzyme_width;
struct three { double lane[3]; };
extern struct three __enzyme_fwddiff_three(void *, ...);
extern void __enzyme_autodiff_three(void *, ...);
extern double __enzyme_autodiff_out(void *, ...);

static int forward_calls, reverse_calls, augmented_calls;
NOINLINE static double cube(double x, int n, double y) { return n * x * x * x * y; }
struct tape { double x; int n; double y; double result; };
static struct tape cube_augmented(double x, int n, double y) {
  augmented_calls++;
  return (struct tape){x, n, y, n * x * x * x * y};
}
struct gradients { double x, y; };
static struct gradients cube_reverse(double x, int n, double y, double seed, double kept, int count, double scale) {
  reverse_calls++;
  return (struct gradients){3 * count * kept * kept * scale * seed, count * kept * kept * kept * seed};
}
static double cube_forward(double x, double dx, int n, double y, double dy) {
  forward_calls++;
  return 3 * n * x * x * y * dx + n * x * x * x * dy;
}
void *__enzyme_register_gradient_cube[] = {(void *)cube, (void *)cube_augmented, (void *)cube_reverse};
void *__enzyme_register_derivative_cube[] = {(void *)cube, (void *)cube_forward};

static double f(const double *x) { return cube(x[0], 2, x[1]) * x[2]; }
static void g(const double *x, double *to, long sign) {
  for (int i = 0; i < 3; i++) to[i] = sign * cube(x[i], i + 1, x[(i + 1) % 3]);
}
static double sum(const double *x) {
  double to[3];
  g(x, to, -1);
  return to[0] + 2 * to[1] + 3 * to[2];
}
DERIVED(f)
DERIVED(sum)

#ifndef REFERENCE
static void lanes(const double *x) {
  double d[3][3] = {{1, 0, 0}, {0, 1, 0}, {1, 2, 3}};
  forward_calls = reverse_calls = augmented_calls = 0;
  struct three r = __enzyme_fwddiff_three((void *)f, enzyme_width, 3, enzyme_dup, x, d[0], d[1], d[2]);
  for (int lane = 0; lane < 3; lane++) check_value("forward", r.lane[lane], f_tangent(x, d[lane]), 1e-13);
  check_value("one call a lane, and one alone for each", forward_calls, 6, 0);

  double to[3], seeds[3][3] = {{1, 0, 0}, {0, 1, 0}, {1, 2, 3}}, dx[3][3] = {{0}}, expected[3] = {0};
  augmented_calls = reverse_calls = 0;
  __enzyme_autodiff_three((void *)g, enzyme_width, 3, x, dx[0], dx[1], dx[2], to, seeds[0], seeds[1], seeds[2], -1);
  check_value("augmented once", augmented_calls, 3, 0);
  check_value("reverse for each lane", reverse_calls, 9, 0);
  sum_gradient(x, expected);
  for (int i = 0; i < 3; i++) check_value("reverse", dx[2][i], expected[i], 1e-13);
  check_value("lane 0", dx[0][0], -3 * x[0] * x[0] * x[1], 1e-13);
  check_value("lane 0, third", dx[0][2], 0, 0);
}
#endif

int main(void) {
  double x[3] = {0.5, -1.25, 2};
  CHECK_DERIVED(f, x);
  CHECK_DERIVED(sum, x);
  CHECK_ENGINE(lanes(x));
  return check_done();
}
