/* Weak names of variables: they are those variables as long as no other file defines others. */
#include "check.h"

double state[2];
extern double called[2] __attribute__((weak, alias("state")));
double *cursor = state;
extern double *pointing __attribute__((weak, alias("cursor")));

static NOINLINE void put(const double *x) {
  for (int i = 0; i < 2; i++) called[i] = x[i] * x[i];
}

static double through_both(const double *x) {
  put(x);
  state[0] *= state[1] * x[0];
  return called[0] * called[1];
}
DERIVED(through_both)

static double through_pointers(const double *x) {
  state[0] = x[0] * x[1];
  state[1] = x[1];
  return pointing[0] * cursor[1] * x[0];
}
DERIVED(through_pointers)

int main(void) {
  double x[] = {0.7, 1.2};
  CHECK_DERIVED(through_both, x);
  CHECK_DERIVED(through_pointers, x);
  return check_done();
}
