// refused: an exception carries a number that depends on active inputs
/* Whoever catches it would get the number without its derivative. */
#include "cpp_check.h"

static double thrown(const double *x) {
  double sum = x[2];
  try {
    if (x[0] > 0) throw x[0] * x[1];
  } catch (double value) {
    sum *= value;
  }
  return sum;
}
ADAPTERS(thrown)

int main(void) {
  const double x[] = {0.7, 1.1, 1.9};
  CHECK_BOTH(thrown, x);
  return check_done();
}
