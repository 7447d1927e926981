/* A function with a rule inside a second derivative: the rule's own functions are differentiated. */
#include "check.h"

static NOINLINE double soft(double x, double y) { return log(exp(x) + exp(y)); }
#ifndef REFERENCE
struct made { double tape, value; };
static struct made soft_up(double x, double y) { return (struct made){1 / (1 + exp(y - x)), soft(x, y)}; }
struct pair { double x, y; };
static struct pair soft_back(double x, double y, double seed, double w) {
  return (struct pair){seed * w, seed * (1 - w)};
}
static double soft_forward(double x, double dx, double y, double dy) {
  double w = 1 / (1 + exp(y - x));
  return w * dx + (1 - w) * dy;
}
void *__enzyme_register_gradient_soft[] = {(void *)soft, (void *)soft_up, (void *)soft_back};
void *__enzyme_register_derivative_soft[] = {(void *)soft, (void *)soft_forward};
#endif

static double f(const double *x) { return soft(x[0] * x[1], x[2]) * soft(x[2], x[0]); }

#ifndef REFERENCE
static double slope(const double *x) {
  double g[3] = {0};
  __enzyme_autodiff((void *)f, x, g);
  return g[0] + 2 * g[1] - g[2];
}
static double slope_forward_inside(const double *x) {
  double v[3] = {1, 2, -1};
  return __enzyme_fwddiff((void *)f, x, v);
}
#else
static double slope(const double *x) { return f(x); }
static double slope_forward_inside(const double *x) { return f(x); }
#endif
static void reverse(const double *x, double *g) { __enzyme_autodiff((void *)slope_forward_inside, x, g); }
static double forward(const double *x, const double *v) { return __enzyme_fwddiff((void *)slope, x, v); }
static double forward2(const double *x, const double *v) { return __enzyme_fwddiff((void *)slope_forward_inside, x, v); }

int main(void) {
  double x[3] = {0.5, 1.2, -0.4};
  CHECK(slope, 0, forward, x);
  CHECK(slope_forward_inside, reverse, forward2, x);
  return check_done();
}
