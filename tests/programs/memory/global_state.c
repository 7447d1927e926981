/* Constant initialised globals read through a pointer, static locals that hold constants, a look-up by computed index. */
#include "check.h"

static const double *select_table(int which) {
  static const double first[3] = {1, 2, 3};
  static const double second[3] = {-1, 0.5, 0.25};
  return which ? first : second;
}
static const struct { const char *name; double factor; } units[3] = {{"m", 1}, {"km", 1000}, {"cm", 0.01}};

static double lookup(const double *x, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) {
    const double *t = select_table(i & 1);
    int cell = (int)(x[i] * 2 + 2);
    double left = t[cell % 3], right = t[(cell + 1) % 3], fraction = x[i] * 2 + 2 - cell;
    s += left + (right - left) * fraction * fraction + x[i] * units[i % 3].factor * 1e-2;
  }
  return s * s;
}

static double objective(const double *x) { return lookup(x, 5); }
static void gradient(const double *x, double *g) { __enzyme_autodiff((void *)lookup, x, g, 5); }
static double tangent(const double *x, const double *v) {
  return __enzyme_fwddiff((void *)lookup, enzyme_dup, x, v, 5);
}

int main(void) {
  double x[5] = {0.3, 0.65, -0.4, 0.7, -0.8};
  CHECK(objective, gradient, tangent, x);
  return check_done();
}
