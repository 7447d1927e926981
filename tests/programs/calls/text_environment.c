// refused: numbers are made of text that was written with active numbers, by '@
#include "check.h"

double by_environment(const double *x) {
  char line[64];
  double v;
  snprintf(line, sizeof line, "%.17g", x[0] * x[1]);
  setenv("ENZYME_PROGRAM_VALUE", line, 1);
  sscanf(getenv("ENZYME_PROGRAM_VALUE"), "%lf", &v);
  return v * x[2] + x[3];
}
DERIVED(by_environment)

int main(void) {
  double x[] = {1.3, -0.7, 2.1, 0.4};
  CHECK_DERIVED(by_environment, x);
  return check_done();
}
