/* Conversions: double to float and back, integers to floating point and back, fmod, remainders, floor and its kin. */
#include "check.h"

static double convert(double x, int n) {
  long whole = (long)(x * 3);
  unsigned char small = (unsigned char)(200 + n);
  double s = x * n + small * x * x + (double)whole * x;
  for (short k = 1; k < 5; k++) s += x * k / (double)(k + n);
  s += fmod(x * x, 0.7) + x * (int)(x * 2);
  s += x - floor(x) + remainder(x, 0.4) * 2 + (x - trunc(x)) * x;
  return s * (uint32_t)4000000000u * 1e-9 + (double)(x > 0.5) * x + (double)(unsigned long long)(x * 10) * x * 0.1;
}

static double narrow(double x, float y) {
  float a = (float)(x * x), b = y * a;
  double c = (double)b * x + a;
  float d = (float)c + (float)(int)c;
  return (double)d * y + c;
}
static double narrow_twin(double x, double y) {
  double a = x * x, b = y * a, c = b * x + a, d = c + (int)c;
  return d * y + c;
}

static double objective(const double *x) { return convert(x[0], 7); }
static void gradient(const double *x, double *g) { g[0] = __enzyme_autodiff((void *)convert, x[0], 7); }
static double tangent(const double *x, const double *v) {
  return __enzyme_fwddiff((void *)convert, enzyme_dup, x[0], v[0], 7);
}
struct mixed { double a; float b; };
extern struct mixed __enzyme_autodiff_mixed(void *, double, float);
static double single(const double *x) { return narrow_twin(x[0], x[1]); }
static void single_gradient(const double *x, double *g) {
  struct mixed d = __enzyme_autodiff_mixed((void *)narrow, x[0], (float)x[1]);
  g[0] = d.a;
  g[1] = d.b;
}
/* Floats passed through ... arrive as doubles. */
static double single_tangent(const double *x, const double *v) {
  return __enzyme_fwddiff((void *)narrow, enzyme_dup, x[0], v[0], enzyme_dup, (float)x[1], (float)v[1]);
}

int main(void) {
  double x[1] = {1.137}, y[2] = {1.31, 0.77};
  CHECK(objective, gradient, tangent, x);
  CHECK_SINGLE(single, single_gradient, single_tangent, y);
  return check_done();
}
