// refused: numbers are made of text that was written with active numbers
#include "check.h"
#include <sstream>
#include <string>

static NOINLINE std::string show(double v) {
  std::ostringstream s;
  s.precision(17);
  s << v;
  return s.str();
}
static NOINLINE double parse(const std::string &text) {
  std::istringstream s(text);
  double v = 0;
  s >> v;
  return v;
}

double shown(const double *x) { return parse(show(x[0] * x[1])) * x[2] + x[3]; }
DERIVED(shown)

int main(void) {
  double x[] = {1.3, -0.7, 2.1, 0.4};
  CHECK_DERIVED(shown, x);
  return check_done();
}
