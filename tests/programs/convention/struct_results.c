/* Functions whose result is a struct of numbers: tangents in forward mode, adjoints given by the call in reverse. */
#include "check.h"
extern int enzyme_primal_return;
struct two {
  double a, b;
};
struct three {
  double a, b, c;
};
struct six {
  struct three value, d;
};
struct floats {
  float a, b, c;
};
extern struct two __enzyme_fwddiff_two(void *, ...);
extern struct three __enzyme_fwddiff_three(void *, ...);
extern struct six __enzyme_fwddiff_six(void *, ...);
extern struct floats __enzyme_fwddiff_floats(void *, ...);
extern float __enzyme_autodiff_float(void *, ...);

static struct two f(double x, double y) {
  struct two r = {x * y, sin(x)};
  return r;
}
static struct three g(double x) {
  struct three r = {x * x, exp(x), 1 / x};
  if (x > 100) r.c = 0;
  return r;
}
static struct floats h(float x) {
  struct floats r = {x * x, 2 * x, x * x * x};
  return r;
}

static void check_all(void) {
  double x = 1.4, y = 0.3;
  struct two t = __enzyme_fwddiff_two((void *)f, enzyme_dup, x, 1.0, enzyme_dup, y, 2.0);
  check_value("registers a", t.a, y + 2 * x, 1e-14);
  check_value("registers b", t.b, cos(x), 1e-14);
  struct three u = __enzyme_fwddiff_three((void *)g, enzyme_dup, x, 1.0);
  check_value("memory a", u.a, 2 * x, 1e-14);
  check_value("memory b", u.b, exp(x), 1e-14);
  check_value("memory c", u.c, -1 / (x * x), 1e-14);
  struct six s = __enzyme_fwddiff_six((void *)g, enzyme_primal_return, enzyme_dup, x, 1.0);
  check_value("value a", s.value.a, x * x, 1e-14);
  check_value("tangent b", s.d.b, exp(x), 1e-14);
  struct floats v = __enzyme_fwddiff_floats((void *)h, enzyme_dup, 2.0f, 1.0f);
  check_value("float a", v.a, 4, 1e-6);
  check_value("float b", v.b, 2, 1e-6);
  check_value("float c", v.c, 12, 1e-6);
  struct two seed = {2, 3};
  double d = __enzyme_autodiff((void *)f, enzyme_out, x, enzyme_const, y, seed);
  check_value("reverse, registers", d, 2 * y + 3 * cos(x), 1e-14);
  struct three big = {2, 3, 4};
  d = __enzyme_autodiff((void *)g, enzyme_out, x, big);
  check_value("reverse, memory", d, 4 * x + 3 * exp(x) - 4 / (x * x), 1e-13);
  struct floats small = {1, 2, 3};
  check_value("reverse, float", __enzyme_autodiff_float((void *)h, enzyme_out, 2.0f, small), 4 + 4 + 36, 1e-6);
}

int main(void) {
  CHECK_ENGINE(check_all());
  return check_done();
}
