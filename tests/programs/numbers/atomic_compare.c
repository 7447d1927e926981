/* Compare-and-swap loops on the bits of a double, on one thread. */
#include <stdatomic.h>
#include "check.h"

static NOINLINE void multiply(double *place, double factor) {
  uint64_t old, made;
  memcpy(&old, place, 8);
  do {
    double value;
    memcpy(&value, &old, 8);
    value *= factor;
    memcpy(&made, &value, 8);
  } while (!__atomic_compare_exchange_n((uint64_t *)place, &old, made, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
}
static double product(const double *p) {
  double s = 1.5;
  for (int i = 0; i < 3; i++) multiply(&s, p[i] + s);
  return s;
}
DERIVED(product)
static double typed(const double *p) {
  _Atomic double s = p[0];
  s *= p[1];
  s /= 1 + p[2] * p[2];
  return s * p[0];
}
DERIVED(typed)

int main(void) {
  double a[] = {0.7, 1.3, 0.4}, b[] = {-0.6, 0.5, 1.9};
  CHECK_DERIVED(product, a); CHECK_DERIVED(product, b);
  CHECK_DERIVED(typed, a); CHECK_DERIVED(typed, b);
  return check_done();
}
