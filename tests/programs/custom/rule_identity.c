// reference: none (the registered derivative is another one on purpose)
/* Gradient reversal: the function returns its argument, which an optimiser would put in the place of every call. */
#include "check.h"

static double reversal(double x) { return x; }
static double reversal_augmented(double x) { return x; }
static double reversal_reverse(double x, double seed) { return -seed; }
static double reversal_forward(double x, double dx) { return -dx; }
void *__enzyme_register_gradient_reversal[] = {(void *)reversal, (void *)reversal_augmented, (void *)reversal_reverse};
void *__enzyme_register_derivative_reversal[] = {(void *)reversal, (void *)reversal_forward};

/* The same on memory: the body does nothing at all. */
static void clip(double *x, int n) {}
static void clip_augmented(double *x, double *dx, int n) {}
static void clip_reverse(double *x, double *dx, int n) {
  for (int i = 0; i < n; i++) dx[i] = fmax(-1, fmin(1, dx[i]));
}
static void clip_forward(double *x, double *dx, int n) {
  for (int i = 0; i < n; i++) dx[i] = fmax(-1, fmin(1, dx[i]));
}
void *__enzyme_register_gradient_clip[] = {(void *)clip, (void *)clip_augmented, (void *)clip_reverse};
void *__enzyme_register_derivative_clip[] = {(void *)clip, (void *)clip_forward};

static double f(double x, double y) { return reversal(x) * y + 3 * x; }

static double g(double *x, int n) {
  double s = 0;
  clip(x, n);
  for (int i = 0; i < n; i++) s += x[i] * x[i];
  return s;
}

struct pair { double x, y; };
struct pair __enzyme_autodiff_pair(void *, ...);

int main(void) {
  struct pair d = __enzyme_autodiff_pair((void *)f, 2.0, 5.0);
  check_value("x", d.x, -5 + 3, 1e-14);
  check_value("y", d.y, 2, 1e-14);
  check_value("forward", __enzyme_fwddiff((void *)f, 2.0, 1.0, 5.0, 0.0), -2, 1e-14);
  double x[3] = {0.25, 2, -3}, dx[3] = {0}, v[3] = {0.5, 4, 8};
  __enzyme_autodiff((void *)g, enzyme_dup, x, dx, enzyme_const, 3);
  check_value("clipped", dx[0], 0.5, 1e-14);
  check_value("clipped", dx[1], 1, 1e-14);
  check_value("clipped", dx[2], -1, 1e-14);
  check_value("clipped tangent", __enzyme_fwddiff((void *)g, enzyme_dup, x, v, enzyme_const, 3), 0.25 + 4 - 6, 1e-14);
  return check_done();
}
