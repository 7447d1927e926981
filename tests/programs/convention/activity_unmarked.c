/* No markers at all: pointers take a shadow, floats are outputs of the gradient, integers are constants. */
#define OWN_DECLARATIONS
#include "check.h"

double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
int enzyme_dup;

static double model(const double *x, int n, double k, long power, char flag) {
  double s = 0;
  for (int i = 0; i < n; i++) s += pow(x[i] * k, (double)power);
  return flag ? s : -s;
}

static double objective(const double *x) { return model(x, 3, x[3], 3L, 1); }
static void gradient(const double *x, double *g) { g[3] = __enzyme_autodiff((void *)model, x, g, 3, x[3], 3L, 1); }
static double tangent(const double *x, const double *v) {
  return __enzyme_fwddiff((void *)model, enzyme_dup, x, v, 3, enzyme_dup, x[3], v[3], 3L, 1);
}
static void closed(const double *x, double *g) {
  double k = x[3], s = 0;
  for (int i = 0; i < 3; i++) {
    g[i] = 3 * k * k * k * x[i] * x[i];
    s += x[i] * x[i] * x[i];
  }
  g[3] = 3 * k * k * s;
}

int main(void) {
  double x[4] = {0.6, 0.45, 0.3, 0.8};
  CHECK_CLOSED(objective, gradient, closed, tangent, x);
  return check_done();
}
