// reference: none (what is registered has another derivative than the body)
/* What is registered counts for functions that are always inlined, too, at every level. */
#include "check.h"

#define ALWAYS __attribute__((always_inline)) static inline

ALWAYS double frozen(double x) { return 3 * x * x; }
void *__enzyme_inactivefn[] = {(void *)frozen};

ALWAYS double ruled(double x) { return x * x * x; }
static double forwarded(double x, double dx) { return 3 * x * x * dx; }
static int asked;
static double counted(double x, double dx) {
  asked++;
  return forwarded(x, dx);
}
void *__enzyme_register_derivative_ruled[] = {(void *)ruled, (void *)counted};

ALWAYS double like_sine(double x) { return x - x * x * x / 6; }
void *__enzyme_function_like[] = {(void *)like_sine, (void *)"sin"};

static double objective(double x) { return frozen(x) * x + x; }
static double through_rule(double x) { return ruled(x) + x; }
static double through_like(double x) { return like_sine(x) * x; }

int main(void) {
  double x = 1.7;
  check_value("frozen, reverse", __enzyme_autodiff((void *)objective, x), 3 * x * x + 1, 1e-12);
  check_value("frozen, forward", __enzyme_fwddiff((void *)objective, enzyme_dup, x, 1.0), 3 * x * x + 1, 1e-12);
  check_value("rule, forward", __enzyme_fwddiff((void *)through_rule, enzyme_dup, x, 1.0), 3 * x * x + 1, 1e-12);
  check_value("the rule was asked", asked, 1, 1e-12);
  double like = cos(x) * x + (x - x * x * x / 6);
  check_value("like, reverse", __enzyme_autodiff((void *)through_like, x), like, 1e-12);
  check_value("like, forward", __enzyme_fwddiff((void *)through_like, enzyme_dup, x, 1.0), like, 1e-12);
  return check_done();
}
