// aborts: enzyme: __enzyme_autodiff of a function that is not known in this program
// reference: none (there is nothing to compare)
/* A pointer that is no function of the program: the program ends, it does not go on with a made-up derivative. */
#include "check.h"
static double square(double x) { return x * x; }
static double cube(double x) { return x * x * x; }
static NOINLINE double of(double (*f)(double), double x) { return __enzyme_autodiff((void *)f, x); }

int main(int argc, char **argv) {
  double (*volatile known)(double) = argc > 5 ? cube : square;
  check_value("known", of(known, 3), 6, 1e-14);
  double (*volatile other)(double) = (double (*)(double))(uintptr_t)(argc * 4096);
  printf("got %g\n", of(other, 3));
  return check_done();
}
