/* Shuffles: constant masks, two sources, widening, narrowing, reversing, broadcasts, lanes picked twice or never. */
#include "check.h"

typedef double v2 __attribute__((ext_vector_type(2)));
typedef double v4 __attribute__((ext_vector_type(4)));
typedef double v8 __attribute__((ext_vector_type(8)));
typedef float f4 __attribute__((ext_vector_type(4)));
typedef int i4 __attribute__((ext_vector_type(4)));

static double shuffles(const double *p) {
  v4 a = {p[0], p[1], p[2], p[3]}, b = a * a + 1.0;
  v4 twice = __builtin_shufflevector(a, b, 0, 0, 7, 5);
  v8 wide = __builtin_shufflevector(a, b, 3, 4, 1, 6, 2, 5, 0, 7);
  v2 narrow = __builtin_shufflevector(wide, wide, 6, 1);
  v4 back = __builtin_shufflevector(wide, wide, 7, 5, 3, 1), spread = __builtin_shufflevector(a, a, 2, 2, 2, 2);
  v4 r = twice * back + spread * narrow.xyyx;
  return r.x * wide[4] + r.y * wide[7] + r.z - r.w;
}
DERIVED(shuffles)
static double undefined(const double *p) {
  v4 a = {p[0], p[1], p[2], p[3]};
  v4 b = __builtin_shufflevector(a, a * 2.0, 0, -1, 5, -1);
  v2 c = __builtin_shufflevector(b, b, 0, 2);
  return c.x * c.y;
}
DERIVED(undefined)
static double converted(const double *p) {
  v4 a = {p[0], p[1], p[2], p[3]};
  f4 narrow = __builtin_convertvector(a, f4);
  i4 whole = __builtin_convertvector(a * 10.0, i4);
  v4 b = __builtin_convertvector(narrow, v4) * __builtin_convertvector(whole, v4);
  return b.x + b.y * b.z + b.w;
}
static double converted_twin(const double *p) {
  double b[4];
  for (int i = 0; i < 4; i++) b[i] = p[i] * (int)(p[i] * 10);
  return b[0] + b[1] * b[2] + b[3];
}
DERIVED(converted)

int main(void) {
  double a[] = {0.72, 1.13, 0.44, -0.67}, b[] = {-0.32, 0.66, 1.98, 0.83};
#define EACH(f) CHECK_DERIVED(f, a); CHECK_DERIVED(f, b)
  EACH(shuffles); EACH(undefined);
  CHECK_FULL(converted_twin, converted_gradient, 0, converted_tangent, a, 4, 1e-5, 1e-5);
  CHECK_FULL(converted_twin, converted_gradient, 0, converted_tangent, b, 4, 1e-5, 1e-5);
  return check_done();
}
