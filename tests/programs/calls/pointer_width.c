/* Several lanes through tables of functions, callbacks with memory and globals. */
#include "check.h"

extern int enzyme_width;

typedef double (*step)(double *state, double x);
double carry;
static NOINLINE double add(double *state, double x) { return *state += x * x; }
static NOINLINE double turn(double *state, double x) {
  carry = carry * 0.5 + *state * x;
  *state = sin(*state) * x;
  return *state + carry;
}
step steps[3] = {add, turn, add};

static NOINLINE double f(const double *x, int n) {
  double state = x[0], s = 0;
  carry = 0;
  for (int i = 0; i < n; i++) s += steps[i % 3](&state, x[i]) * (i + 1);
  return s + state * carry;
}
static double objective(const double *x) { return f(x, 4); }

static void reverse(const double *x, double *g) {
  double one[4] = {0}, two[4] = {0};
  __enzyme_autodiff((void *)f, enzyme_width, 2, enzyme_dup, x, one, two, 4);
  for (int i = 0; i < 4; i++) g[i] += (one[i] + two[i]) / 2;
}
struct both {
  double v[2];
};
extern struct both __enzyme_fwddiff_both(void *, ...);
static double forward(const double *x, const double *v) {
  double twice[4];
  for (int i = 0; i < 4; i++) twice[i] = 2 * v[i];
  struct both t = __enzyme_fwddiff_both((void *)f, enzyme_width, 2, enzyme_dup, x, v, twice, 4);
  check_close("lanes", 0, t.v[1], 2 * t.v[0], 1e-12 * fabs(t.v[1]) + 1e-14);
  return t.v[0];
}

int main(void) {
  double x[4] = {0.3, -0.7, 1.2, 0.4};
  CHECK(objective, reverse, forward, x);
  return check_done();
}
