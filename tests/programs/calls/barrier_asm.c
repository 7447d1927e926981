/* Empty assembly that keeps the optimiser away from a value or from memory, as benchmarks have it. */
#include "check.h"

static inline void clobber(void) { __asm__ volatile("" ::: "memory"); }
static inline void keep(const void *p) { __asm__ volatile("" : : "r"(p) : "memory"); }
static inline double opaque(double v) {
  __asm__("" : "+x"(v));
  return v;
}
static inline double swapped(double a, double b) {
  __asm__("" : "+x"(a), "+x"(b));
  double copy;
  __asm__("" : "=m"(copy) : "0"(a)); /* what shares a place with an output becomes it */
  return copy * 2 + b;
}
static double f(const double *x) {
  double a[3] = {x[0], x[1], x[2]}, s = 0;
  for (int i = 0; i < 6; i++) {
    a[i % 3] *= a[(i + 1) % 3] + 0.5;
    clobber();
    s += opaque(x[i % 3] * s) * 0.1 + a[(i + 2) % 3] * a[i % 3];
    keep(a);
    s += swapped(a[0], x[1]) * 0.01;
  }
  return s;
}
DERIVED(f)

int main(void) {
  double x[3] = {0.6, 0.7, -0.55};
  CHECK_DERIVED(f, x);
  return check_done();
}
