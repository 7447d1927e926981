/* Split mode of a function that returns a small struct: it comes behind the tape, its adjoint in front of it. */
#include "check.h"
struct pair {
  double a, b;
};
struct taped {
  void *tape;
  struct pair value;
};
extern struct taped __enzyme_augmentfwd(void *, ...);
extern double __enzyme_reverse(void *, ...);

static struct pair f(double x, int n) {
  struct pair r = {x, 1};
  for (int i = 0; i < n; i++) {
    r.a *= x;
    r.b += sin(r.a);
  }
  return r;
}
static double objective(const double *x) {
  struct pair r = f(x[0], 4);
  return 2 * r.a + 3 * r.b;
}
static void gradient(const double *x, double *g) {
  struct taped t = __enzyme_augmentfwd((void *)f, enzyme_out, x[0], enzyme_const, 4);
  struct pair seed = {2, 3}, again = f(x[0], 4);
  if (t.value.a != again.a || t.value.b != again.b) abort();
  g[0] += __enzyme_reverse((void *)f, enzyme_out, x[0], enzyme_const, 4, seed, t.tape);
}

int main(void) {
  double x[1] = {1.1};
  CHECK(objective, gradient, 0, x);
  return check_done();
}
