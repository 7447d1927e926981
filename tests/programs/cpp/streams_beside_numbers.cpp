/* Active numbers are shown, and settings are read from other streams. */
#include "check.h"
#include <iostream>
#include <sstream>
#include <string>

static NOINLINE double setting(const char *text) {
  std::istringstream s(text);
  double v = 0;
  s >> v;
  return v;
}

double shown(const double *x) {
  std::ostringstream out;
  out << "value " << x[0];
  std::string line = out.str();
  if (line.size() > 1000) std::cerr << line;
  double k = setting("2.5") + std::stod("1.5");
  return k * x[0] * x[1] + x[2] * x[3];
}
DERIVED(shown)

int main(void) {
  double x[] = {1.3, -0.7, 2.1, 0.4};
  CHECK_DERIVED(shown, x);
  return check_done();
}
