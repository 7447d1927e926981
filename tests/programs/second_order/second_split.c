/* Split mode in a function that is differentiated: both halves are differentiated with it. */
#include "second.h"
extern void *__enzyme_augmentfwd(void *, ...);
extern double __enzyme_reverse(void *, ...);

static double inner(double x, double y) {
  double s = x;
  for (int i = 0; i < 5; i++) s = sin(s) * y + x * s;
  return s;
}
static double f(const double *x) {
#ifdef REFERENCE
  double h = 1e-5; /* the derivative of inner along x by itself */
  double s = x[0], d = 1;
  for (int i = 0; i < 5; i++) {
    double next = sin(s) * x[1] + x[0] * s;
    d = cos(s) * d * x[1] + s + x[0] * d;
    s = next;
  }
  return d * x[1] + h * 0;
#else
  void *tape = __enzyme_augmentfwd((void *)inner, x[0], enzyme_const, x[1]);
  return __enzyme_reverse((void *)inner, x[0], enzyme_const, x[1], x[1], tape);
#endif
}
DERIVED(f)

int main(void) {
  double x[2] = {0.5, 0.8};
  CHECK_DERIVED(f, x);
  return check_done();
}
