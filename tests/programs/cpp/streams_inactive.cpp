/* Output of active numbers, and text made of them, leave derivatives alone. */
#include <iostream>
#include <sstream>

#include "cpp_check.h"

static double logged(const double *x) {
  double sum = 0;
  for (int i = 0; i < 3; i++) {
    sum += x[i] * x[i];
    if (sum < 0) std::cout << "sum " << sum << " at " << i << std::endl;
    std::clog << "";
  }
  return sum * x[0];
}
ADAPTERS(logged)

static double noted(const double *x) {
  std::ostringstream text;
  text << "x = " << 3 << ' ' << 1.5f << '\n';
  double value = x[0] * x[1];
  text << value;
  return text.str().size() > 3 ? value * x[2] : 0;
}
ADAPTERS(noted)

int main(void) {
  const double x[] = {0.7, -1.1, 1.9};
  CHECK_BOTH(logged, x);
  CHECK_BOTH(noted, x);
  return check_done();
}
