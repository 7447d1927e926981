/* A pointer made of an address in an integer by stepping so far from the null pointer. */
#include "check.h"

__attribute__((no_sanitize("undefined"))) static NOINLINE double *at(uintptr_t address) { return (double *)((char *)0 + address); }

static double stepped(const double *x) {
  double v[3] = {x[0] * x[1], x[1], x[0]};
  uintptr_t address = (uintptr_t)v;
  return *at(address) * x[0] + at(address + 8)[1] * x[1];
}
DERIVED(stepped)

int main(void) {
  const double x[] = {0.7, -1.1};
  CHECK_DERIVED(stepped, x);
  return check_done();
}
