/* Comparisons of vectors, selections by masks, blends, minimum and maximum lane by lane, sign operations. */
#include "check.h"

typedef double v4 __attribute__((ext_vector_type(4)));
typedef long m4 __attribute__((ext_vector_type(4)));

static double masks(const double *p) {
  v4 a = {p[0], p[1], p[2], p[3]}, b = a.yzwx * 0.9;
  m4 less = a < b;
  v4 c = less ? a * a : b * 3.0;
  v4 d = (less & (a > 0.0)) ? c : -c;
  return c.x * d.y + c.z * d.w;
}
DERIVED(masks)
static double elementwise(const double *p) {
  v4 a = {p[0], p[1], p[2], p[3]}, b = a.wxyz + 0.15;
  v4 lo = __builtin_elementwise_min(a, b), hi = __builtin_elementwise_max(a, b), s = __builtin_elementwise_abs(a);
  v4 f = __builtin_elementwise_floor(a * 3.0), r = __builtin_elementwise_sqrt(s), c = __builtin_elementwise_copysign(r, b);
  v4 e = __builtin_elementwise_exp(a * 0.3) + __builtin_elementwise_sin(b) + __builtin_elementwise_log(s + 1.0);
  v4 g = __builtin_elementwise_fma(a, b, lo) + __builtin_elementwise_pow(s, hi * 0.0 + 1.5) + f;
  v4 t = lo * hi + c * e + g;
  return t.x + 2 * t.y + 3 * t.z - t.w;
}
DERIVED(elementwise)
static double blend(const double *p) {
  v4 a = {p[0], p[1], p[2], p[3]};
  double s = 0;
  for (int i = 0; i < 4; i++) {
    v4 step = {i, i + 1, i + 2, i + 3};
    a = (step > 2.0) ? a * 1.5 : a + p[i];
    s += a[i] * a[(i + 1) & 3];
  }
  return s;
}
DERIVED(blend)

int main(void) {
  double a[] = {0.7, 1.1, 0.4, -0.6}, b[] = {-0.3, 0.65, 1.9, 0.8};
#define EACH(f) CHECK_DERIVED(f, a); CHECK_DERIVED(f, b)
  EACH(masks); EACH(elementwise); EACH(blend);
  return check_done();
}
