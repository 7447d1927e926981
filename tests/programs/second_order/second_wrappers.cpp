/* <enzyme/enzyme>: functions that take derivatives of others of their own type, all given to the same wrappers. */
// reference: none (the values are derivatives of derivatives)
#include <enzyme/enzyme>
#define OWN_DECLARATIONS
#include "check.h"
using namespace enzyme;

static double f(double x, double y) { return x * x * y + sin(x * y); }
static double fx(double x, double y) {
  return get<0>(get<0>(autodiff<Reverse>(f, Active<double>{x}, Active<double>{y})));
}
static double root(double a) {
  double x = 1;
  for (int i = 0; i < 8; i++) {
    auto g = [a](double z) { return z * z * z - a; };
    auto r = autodiff<ForwardWithPrimal>(g, Duplicated<double>{x, 1.0});
    x -= get<0>(r) / get<1>(r);
  }
  return x;
}

int main() {
  auto [g] = autodiff<Reverse>(fx, Active<double>{0.5}, Active<double>{2.0});
  check_value("xx", get<0>(g), 4 - 4 * sin(1.0), 1e-12);
  check_value("xy", get<1>(g), 1 + cos(1.0) - sin(1.0), 1e-12);
  check_value("forward", autodiff<Forward>(fx, Duplicated<double>{0.5, 1.0}, Const<double>{2.0}), get<0>(g), 1e-12);
  check_value("root", get<0>(get<0>(autodiff<Reverse>(root, Active<double>{8.0}))), 1 / 12.0, 1e-6);
  return check_done();
}
