/* Masked loads and stores, and gathers, by the compiler's builtins. */
#include "check.h"

typedef double v4 __attribute__((ext_vector_type(4)));
typedef _Bool b4 __attribute__((ext_vector_type(4)));
typedef int i4 __attribute__((ext_vector_type(4)));

static double loads(const double *p) {
  double y[8];
  memcpy(y, p, sizeof(double) * 4);
  memset(y + 4, 0, sizeof(double) * 4);
  b4 some = {1, 0, 1, 1};
  v4 through = {p[3], p[2], p[1], p[0]};
  v4 a = __builtin_masked_load(some, y, through * through);
  __builtin_masked_store(some, a * through, y + 4);
  __builtin_masked_store((b4){0, 1, 0, 1}, a, y);
  double s = 0;
  for (int i = 0; i < 8; i++) s += y[i] * y[i] * (i + 1);
  return s;
}
DERIVED(loads)
static double gathers(const double *p) {
  double y[8];
  for (int i = 0; i < 8; i++) y[i] = p[i & 3] * (i + 1);
  b4 some = {1, 1, 0, 1};
  i4 at = {6, 0, 3, 6};
  v4 a = __builtin_masked_gather(some, at, y, (v4){p[0], p[1], p[2], p[3]});
  __builtin_masked_store(some, a * a, y + 2);
  double s = 0;
  for (int i = 0; i < 8; i++) s += y[i] * y[7 - i];
  return s;
}
DERIVED(gathers)
static double computed(const double *p) {
  double y[4] = {p[0], p[1], p[2], p[3]};
  v4 a = {p[3], p[2], p[1], p[0]};
  for (int round = 0; round < 3; round++) {
    v4 m = a * (double)(round + 1) - 0.4;
    b4 some = {m.x > 0, m.y > 0, m.z > 0, m.w > 0};
    a = __builtin_masked_load(some, y, a * 0.5);
    __builtin_masked_store(some, a * m, y);
  }
  return y[0] * a.x + y[1] * a.y + y[2] * a.z + y[3] * a.w;
}
DERIVED(computed)

int main(void) {
  double a[] = {0.72, 1.13, 0.44, -0.67}, b[] = {-0.32, 0.66, 1.98, 0.83};
#define EACH(f) CHECK_DERIVED(f, a); CHECK_DERIVED(f, b)
  EACH(loads); EACH(gathers); EACH(computed);
  return check_done();
}
