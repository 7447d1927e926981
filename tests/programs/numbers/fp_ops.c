/* Every floating-point operation of C in one place: + - * / unary minus, compound forms, comparisons, both widths. */
#include "check.h"

static double operations(double a, double b) {
  double s = a + b;
  s -= a * b;
  s = -s / (1 + b * b);
  s *= s;
  s += (a > b) - (a <= b) + (a != b);
  s /= a;
  s = s - +b;
  double t = -(-a) * -1.0;
  t = 0.0 - t;
  return 2.0 / s + t * t / b - 1e3 * (s - s) + (a / b) / (b / a);
}

static float operations_float(float a, float b) {
  float s = a + b;
  s -= a * b;
  s = -s / (1 + b * b);
  s *= s;
  s /= a;
  return 2.0f / s - b + s * 0.5f;
}
static double operations_twin(double a, double b) {
  double s = a + b;
  s -= a * b;
  s = -s / (1 + b * b);
  s *= s;
  s /= a;
  return 2.0 / s - b + s * 0.5;
}

static double objective(const double *x) { return operations(x[0], x[1]); }
static void gradient(const double *x, double *g) {
  g[0] = __enzyme_autodiff((void *)operations, enzyme_out, x[0], enzyme_const, x[1]);
  g[1] = __enzyme_autodiff((void *)operations, enzyme_const, x[0], enzyme_out, x[1]);
}
static double tangent(const double *x, const double *v) {
  return __enzyme_fwddiff((void *)operations, enzyme_dup, x[0], v[0], enzyme_dup, x[1], v[1]);
}
struct pair { float a, b; };
extern struct pair __enzyme_autodiff_float(void *, float, float);
extern float __enzyme_fwddiff_float(void *, float, float, float, float);
static double single(const double *x) { return operations_twin(x[0], x[1]); }
static void single_gradient(const double *x, double *g) {
  struct pair d = __enzyme_autodiff_float((void *)operations_float, (float)x[0], (float)x[1]);
  g[0] = d.a;
  g[1] = d.b;
}
static double single_tangent(const double *x, const double *v) {
  return __enzyme_fwddiff_float((void *)operations_float, (float)x[0], (float)v[0], (float)x[1], (float)v[1]);
}

int main(void) {
  double x[2] = {0.6, 0.45}, y[2] = {1.5, -0.7};
  CHECK(objective, gradient, tangent, x);
  CHECK(objective, gradient, tangent, y);
  CHECK_SINGLE(single, single_gradient, single_tangent, x);
  CHECK_SINGLE(single, single_gradient, single_tangent, y);
  return check_done();
}
