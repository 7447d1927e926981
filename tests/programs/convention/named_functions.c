/* The function named through locals, casts, constants and aliases. */
#include "check.h"
static double f(double x) { return x * x * x; }
double aliased(double x) { return x * x; }
extern double other(double) __attribute__((alias("aliased")));
static double (*const table)(double) = f;

static void check_all(void) {
  void *pointer = (void *)f;
  double (*typed)(double) = f;
  check_value("void pointer", __enzyme_autodiff(pointer, 2.0), 12, 1e-14);
  check_value("typed pointer", __enzyme_autodiff((void *)typed, 2.0), 12, 1e-14);
  check_value("integer", __enzyme_autodiff((void *)(intptr_t)f, 2.0), 12, 1e-14);
  check_value("constant", __enzyme_autodiff((void *)table, 2.0), 12, 1e-14);
  check_value("alias", __enzyme_autodiff((void *)other, 2.0), 4, 1e-14);
  int how = enzyme_out;
  check_value("marker in a local", __enzyme_autodiff((void *)f, how, 2.0), 12, 1e-14);
}

int main(void) {
  CHECK_ENGINE(check_all());
  return check_done();
}
