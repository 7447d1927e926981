/* Split mode: the forward sweep now, the reverse sweep later, with the tape in between. */
#include "check.h"
struct taped {
  void *tape;
  double value;
};
extern void *__enzyme_augmentfwd(void *, ...);
extern struct taped __enzyme_augmentfwd_value(void *, ...);
extern double __enzyme_reverse(void *, ...);
struct pair {
  double x, y;
};
extern struct pair __enzyme_reverse_pair(void *, ...);

static double f(double x, double y) {
  double s = x;
  for (int i = 0; i < 7; i++) s = sin(s) * y + x;
  return s;
}
static double fixed;
static double of_x(const double *x) { return f(x[0], fixed); }

static void check_all(void) {
  double x = 0.8, y = 1.2, none[1] = {0.8}, unit[1] = {1}, error;
  fixed = y;
  double expected = check_difference(of_x, none, unit, 1, 1e-3, &error);
  void *tape = __enzyme_augmentfwd((void *)f, enzyme_out, x, enzyme_const, y);
  check_value("seed 1", __enzyme_reverse((void *)f, enzyme_out, x, enzyme_const, y, 1.0, tape), expected, 1e-7);
  struct taped t = __enzyme_augmentfwd_value((void *)f, x, y);
  struct taped u = __enzyme_augmentfwd_value((void *)f, x + 1, y);
  check_value("primal", t.value, f(x, y), 1e-14);
  check_value("primal of another", u.value, f(x + 1, y), 1e-14);
  struct pair q = __enzyme_reverse_pair((void *)f, x + 1, y, 1.0, u.tape);
  struct pair r = __enzyme_reverse_pair((void *)f, x, y, 2.5, t.tape);
  check_value("seed 2.5", r.x, 2.5 * expected, 1e-7);
  check_value("another differs", q.x == r.x, 0, 1);
}

int main(void) {
  CHECK_ENGINE(check_all());
  return check_done();
}
