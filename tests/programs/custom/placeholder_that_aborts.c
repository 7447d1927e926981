// reference: none (the function that is differentiated aborts)
/* A function that never returns has a derivative where one is registered: its body only stands for what is called. */
#include <stdlib.h>

#include "check.h"

static NOINLINE double half_square(double x) {
  printf("not to be called: %g\n", x);
  abort();
}
static double augmented(double x) { return 0.5 * x * x; }
static double reversed(double x, double seed) { return x * seed; }
static double tangent(double x, double dx) { return x * dx; }
void *__enzyme_register_gradient_half_square[] = {(void *)half_square, (void *)augmented, (void *)reversed};
void *__enzyme_register_derivative_half_square[] = {(void *)half_square, (void *)tangent};

static double f(const double *x) { return half_square(x[0]) * x[1]; }
static void gradient(const double *x, double *dx) { __enzyme_autodiff((void *)f, enzyme_dup, x, dx); }

int main(void) {
  double at[] = {0.7, 1.3}, got[] = {0, 0};
  gradient(at, got);
  check_value("of the first", got[0], at[0] * at[1], 1e-14);
  check_value("of the second", got[1], 0.5 * at[0] * at[0], 1e-14);
  return check_done();
}
