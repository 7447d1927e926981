/* Values that do not matter: results never used, constants written over actives, integers made from actives. */
#include "check.h"

static double mostly_dead(const double *x, double *log_out, int n) {
  double dead = 0, s = 0, t[4];
  for (int i = 0; i < n; i++) {
    dead += exp(x[i]) * dead;
    t[i] = sin(x[i]);
    t[i] = 2;
    s += t[i] * x[i];
    log_out[i] = 0.5 * i;
  }
  int bucket = (int)(x[0] * 10);
  double steps = (double)bucket, floored = floor(x[1] * 7) + round(x[2] * 3) + trunc(x[3] * 5) + ceil(x[0]);
  return s * steps + floored * x[1];
}

static double objective(const double *x) {
  double out[4];
  return mostly_dead(x, out, 4);
}
static void gradient(const double *x, double *g) {
  double out[4];
  __enzyme_autodiff((void *)mostly_dead, enzyme_dup, x, g, enzyme_const, out, 4);
}
static double tangent(const double *x, const double *v) {
  double out[4];
  return __enzyme_fwddiff((void *)mostly_dead, enzyme_dup, x, v, enzyme_const, out, 4);
}

int main(void) {
  double x[4] = {0.653, 0.45, 0.3, 0.83};
  CHECK(objective, gradient, tangent, x);
  return check_done();
}
