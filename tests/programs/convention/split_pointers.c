/* Split mode of a function that returns a pointer: tape, pointer and its shadow; enzyme_noret leaves the tape alone. */
#include "check.h"
struct taped {
  void *tape;
  double *value, *shadow;
};
struct number {
  void *tape;
  double value;
};
extern struct taped __enzyme_augmentfwd_pointer(void *, ...);
extern struct number __enzyme_augmentfwd_number(void *, ...);
extern void *__enzyme_augmentfwd(void *, ...);
extern void __enzyme_reverse(void *, ...);
extern double __enzyme_reverse_number(void *, ...);
extern double *__enzyme_fwddiff_pointer(void *, ...);
extern int enzyme_noret;

static NOINLINE double *largest(double *x, int n) {
  double *best = x;
  for (int i = 0; i < n; i++) {
    x[i] = x[i] * x[i];
    if (x[i] > *best) best = x + i;
  }
  return best;
}
static double f(double x, double *y) {
  *y = x * x * x;
  return x * x;
}

static void check_all(void) {
  double x[3] = {1, -3, 2}, dx[3] = {0};
  struct taped t = __enzyme_augmentfwd_pointer((void *)largest, enzyme_dup, x, dx, enzyme_const, 3);
  check_value("value", *t.value, 9, 1e-14);
  check_value("same place", t.value - x, 1, 1e-14);
  check_value("shadow", t.shadow - dx, 1, 1e-14);
  *t.shadow = 1;
  __enzyme_reverse((void *)largest, enzyme_dup, x, dx, enzyme_const, 3, t.tape);
  check_value("gradient", dx[1], -6, 1e-14);
  check_value("gradient", dx[0], 0, 1);
  double y[2] = {2, 5}, dy[2] = {1, 10};
  double *tangent = __enzyme_fwddiff_pointer((void *)largest, enzyme_dup, y, dy, enzyme_const, 2);
  check_value("tangent", *tangent, 100, 1e-14);
  double out, dout = 1;
  struct number q = __enzyme_augmentfwd_number((void *)f, 2.0, &out, &dout);
  check_value("result", q.value, 4, 1e-14);
  check_value("both", __enzyme_reverse_number((void *)f, 2.0, &out, &dout, 10.0, q.tape), 40 + 12, 1e-14);
  dout = 1;
  void *tape = __enzyme_augmentfwd((void *)f, enzyme_noret, 2.0, &out, &dout);
  check_value("only memory", __enzyme_reverse_number((void *)f, enzyme_noret, 2.0, &out, &dout, tape), 12, 1e-14);
}

int main(void) {
  CHECK_ENGINE(check_all());
  return check_done();
}
