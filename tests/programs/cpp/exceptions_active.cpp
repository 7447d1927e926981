// aborts: exceptions_active.cpp:16:12 in function
/* The throw cuts a call short that the reverse sweep would have to undo. */
#include <stdexcept>

#include "cpp_check.h"

static NOINLINE double inner(const double *x) {
  double y = x[0] * x[1];
  if (y < 0) throw std::domain_error("negative");
  return y * y;
}

static double outer(const double *x) {
  double sum = x[2];
  try {
    sum *= inner(x);
  } catch (const std::exception &) {
    sum *= x[0];
  }
  return sum;
}
ADAPTERS(outer)

int main(void) {
  const double fine[] = {0.7, 1.1, 1.9}, thrown[] = {0.7, -1.1, 1.9};
  CHECK_BOTH(outer, fine);
  CHECK_FULL(outer, 0, 0, outer_forward, thrown, 3, 1e-6, 1e-10);
  if (check_failures) return check_done();
  CHECK_BOTH(outer, thrown);
  return check_done();
}
