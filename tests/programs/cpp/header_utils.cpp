/* Words about functions, by the macros of <enzyme/utils>. */
#include <enzyme/enzyme>

#define OWN_DECLARATIONS
#include "cpp_check.h"

ENZYME_INACTIVE NOINLINE double noise(double x) { return x * 1e-30; }
NOINLINE double bias(double x) { return x * 1e-30; }
ENZYME_INACTIVE_FUNCTION(bias)

extern "C" NOINLINE double quick_sine(double x) { return sin(x); }
ENZYME_FUNCTION_LIKE(quick_sine, "sin")

NOINLINE double cube(double x) { return x * x * x; }
static double cube_tangent(double x, double dx) { return 30 * x * x * dx; }
ENZYME_REGISTER_DERIVATIVE(cube, cube_tangent)

static double told(double x) { return quick_sine(x) * (1 + noise(x) + bias(x)); }
static double told_cube(double x) { return cube(x) + noise(x); }

int main(void) {
  check_value("called", told(0.5), sin(0.5), 1e-12);
  check_value("called", told_cube(2), 8, 1e-12);
#ifndef REFERENCE
  double d = enzyme::get<0>(enzyme::autodiff<enzyme::Reverse>(told, enzyme::Active{0.5}));
  check_value("like sin", d, cos(0.5), 1e-12);
  d = enzyme::autodiff<enzyme::Forward>(told_cube, enzyme::Duplicated{2.0, 1.0});
  check_value("its own tangent", d, 120, 1e-12);
#endif
  return check_done();
}
