/* Small integers, booleans and floats, which C promotes in a variadic call. */
#include "check.h"
#include <stdbool.h>
struct pair {
  float a, b;
};
extern float __enzyme_autodiff_float(void *, ...);
extern struct pair __enzyme_autodiff_pair(void *, ...);
extern float __enzyme_fwddiff_float(void *, ...);

static float f(float x, char c, short s, bool b, unsigned char u) { return b ? x * x * c * s + u : -x; }
static float g(float x, float y) { return x * x * y; }
static double h(double x, long long n, unsigned u) { return x * n + u; }

static void check_all(void) {
  char c = -3;
  short s = 7;
  bool yes = true, no = false;
  unsigned char u = 200;
  check_value("f", __enzyme_autodiff_float((void *)f, 2.0f, c, s, yes, u), -84, 1e-6);
  check_value("f", __enzyme_autodiff_float((void *)f, 2.0f, c, s, no, u), -1, 1e-6);
  check_value("tangent", __enzyme_fwddiff_float((void *)f, enzyme_dup, 2.0f, 0.5f, c, s, yes, u), -42, 1e-6);
  struct pair p = __enzyme_autodiff_pair((void *)g, 3.0f, enzyme_out, 5.0f);
  check_value("a", p.a, 30, 1e-6);
  check_value("b", p.b, 9, 1e-6);
  check_value("wide result", __enzyme_autodiff((void *)g, 3.0f, enzyme_const, 5.0f), 30, 1e-6);
  check_value("long", __enzyme_autodiff((void *)h, 2.0, 1ll << 40, 3u), (double)(1ll << 40), 1e-14);
}

int main(void) {
  CHECK_ENGINE(check_all());
  return check_done();
}
