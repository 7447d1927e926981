/* Reductions over the lanes of a vector by the compiler's builtins. */
#include "check.h"

typedef double v4 __attribute__((ext_vector_type(4)));
typedef int i4 __attribute__((ext_vector_type(4)));

static double extremes(const double *p) {
  v4 a = {p[0], p[1], p[2], p[3]};
  return __builtin_reduce_max(a) * __builtin_reduce_min(a * a + a.yzwx);
}
DERIVED(extremes)
#if __has_builtin(__builtin_reduce_assoc_fadd)
static double sums(const double *p) {
  v4 a = {p[0], p[1], p[2], p[3]};
  return __builtin_reduce_assoc_fadd(a * a, 0.5) * __builtin_reduce_in_order_fadd(a * a.wzyx, p[0]);
}
#else
static double sums(const double *p) {
  v4 a = {p[0], p[1], p[2], p[3]}, b = a * a, c = a * a.wzyx;
  return (0.5 + b.x + b.y + b.z + b.w) * (p[0] + c.x + c.y + c.z + c.w);
}
#endif
DERIVED(sums)
static double integers(const double *p) {
  v4 a = {p[0], p[1], p[2], p[3]};
  i4 k = __builtin_convertvector(a * 10.0, i4);
  int s = __builtin_reduce_add(k) + __builtin_reduce_max(k) * __builtin_reduce_xor(k & 3);
  return a.x * s + a.y * __builtin_reduce_min(k);
}
DERIVED(integers)

int main(void) {
  double a[] = {0.72, 1.13, 0.44, -0.67}, b[] = {-0.32, 0.66, 1.98, 0.83};
#define EACH(f) CHECK_DERIVED(f, a); CHECK_DERIVED(f, b)
  EACH(extremes); EACH(sums); EACH(integers);
  return check_done();
}
