/* Single lanes written and read at positions that are known only when the program runs. */
#include "check.h"

typedef double v4 __attribute__((ext_vector_type(4)));
typedef float f8 __attribute__((ext_vector_type(8)));

static double walk(const double *p) {
  v4 a = {p[0], p[1], p[2], p[3]};
  int at = (int)(p[4] * 10) & 3;
  for (int i = 0; i < 6; i++) {
    double x = a[at];
    a[(at + 1) & 3] = x * a[i & 3] + 0.1;
    at = (at * 3 + 1) & 3;
  }
  return a[0] + a[1] * a[2] - a[3];
}
DERIVED(walk)
static NOINLINE double pick(v4 a, int i) { return a[i] * a[i]; }
static NOINLINE v4 put(v4 a, int i, double x) { a[i] = x; return a; }
static double calls(const double *p) {
  v4 a = {p[0], p[1], p[2], p[3]};
  for (int i = 0; i < 4; i++) a = put(a, 3 - i, pick(a, i) + p[4]);
  return pick(a, 2) + a[0];
}
DERIVED(calls)
static double floats(const double *p) {
  f8 a = 0;
  for (int i = 0; i < 8; i++) a[i] = (float)p[i % 5];
  float s = 0;
  for (int i = 0; i < 8; i++) { a[i] *= a[7 - i]; s += a[(i * 3) & 7]; }
  return s;
}
static double floats_twin(const double *p) {
  double a[8], s = 0;
  for (int i = 0; i < 8; i++) a[i] = p[i % 5];
  for (int i = 0; i < 8; i++) { a[i] *= a[7 - i]; s += a[(i * 3) & 7]; }
  return s;
}
DERIVED(floats)

int main(void) {
  double a[] = {0.7, 1.1, 0.4, -0.6, 0.27}, b[] = {-0.3, 0.65, 1.9, 0.8, 0.33};
#define EACH(f) CHECK_DERIVED(f, a); CHECK_DERIVED(f, b)
  EACH(walk); EACH(calls);
  CHECK_SINGLE(floats_twin, floats_gradient, floats_tangent, a);
  return check_done();
}
