// reference: none (the registered derivative is scaled on purpose)
/* The function with a rule is called through a pointer, beside one without. */
#include "check.h"

static double tripled(double x) { return 3 * x; }
static double squared(double x) { return x * x; }
static double tripled_up(double x) { return 3 * x; }
static double tripled_back(double x, double seed) { return 1000 * seed; }
static double tripled_forward(double x, double dx) { return 1000 * dx; }
void *__enzyme_register_gradient_tripled[] = {(void *)tripled, (void *)tripled_up, (void *)tripled_back};
void *__enzyme_register_derivative_tripled[] = {(void *)tripled, (void *)tripled_forward};

typedef double (*step)(double);
static step table[2] = {tripled, squared};

static double f(const double *x, const int *which, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) s += table[which[i]](x[i]);
  return s;
}

static NOINLINE double apply(step g, double x) { return g(x) * x; }
static double h(double x) { return apply(tripled, x) + apply(squared, x); }

int main(int argc, char **argv) {
  table[0] = argc > 100 ? squared : tripled;
  double x[3] = {1, 2, 3}, dx[3] = {0}, v[3] = {1, 1, 1};
  int which[3] = {0, 1, 0};
  __enzyme_autodiff((void *)f, x, dx, enzyme_const, which, 3);
  check_value("0", dx[0], 1000, 1e-14);
  check_value("1", dx[1], 4, 1e-14);
  check_value("2", dx[2], 1000, 1e-14);
  check_value("forward", __enzyme_fwddiff((void *)f, x, v, enzyme_const, which, 3), 2004, 1e-14);
  check_value("passed on", __enzyme_autodiff((void *)h, 2.0), 1000 * 2 + 6 + 3 * 4, 1e-14);
  return check_done();
}
