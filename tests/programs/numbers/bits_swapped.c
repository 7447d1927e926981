// refused: cannot tell what numbers this i64 carries
/* The bytes of a number in the other order, and back. */
#include "check.h"

static NOINLINE uint64_t bits(double d) {
  uint64_t u;
  memcpy(&u, &d, 8);
  return __builtin_bswap64(u);
}
static NOINLINE double number(uint64_t u) {
  double d;
  u = __builtin_bswap64(u);
  memcpy(&d, &u, 8);
  return d;
}

double swapped(const double *x) { return number(bits(x[0] * x[1])) * x[2] + x[3]; }
DERIVED(swapped)

int main(void) {
  double x[] = {1.3, -0.7, 2.1, 0.4};
  CHECK_DERIVED(swapped, x);
  return check_done();
}
