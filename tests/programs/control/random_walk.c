/* A pseudo-random generator inside: integer state drives the floats, Box-Muller, a Monte Carlo estimate. */
#include "check.h"

static uint64_t next(uint64_t *state) {
  *state ^= *state << 13;
  *state ^= *state >> 7;
  *state ^= *state << 17;
  return *state;
}
static double uniform(uint64_t *state) { return (double)(next(state) >> 11) * (1.0 / 9007199254740992.0); }

static double price(double spot, double sigma, double rate, int paths, int steps) {
  uint64_t state = 88172645463325252u;
  double total = 0;
  for (int p = 0; p < paths; p++) {
    double s = spot, sum = 0;
    for (int k = 0; k < steps; k++) {
      double u = uniform(&state), v = uniform(&state), z = sqrt(-2 * log(u + 1e-12)) * cos(6.283185307179586 * v);
      s *= exp((rate - 0.5 * sigma * sigma) * 0.1 + sigma * sqrt(0.1) * z);
      sum += s;
    }
    double payoff = sum / steps - 1.0;
    if (payoff > 0) total += payoff * payoff;
  }
  return exp(-rate) * total / paths;
}

static double objective(const double *x) { return price(x[0], x[1], x[2], 20, 5); }
static void gradient(const double *x, double *g) {
  struct three { double a, b, c; };
  extern struct three __enzyme_autodiff_three(void *, ...);
  struct three d = __enzyme_autodiff_three((void *)price, x[0], x[1], x[2], 20, 5);
  g[0] = d.a, g[1] = d.b, g[2] = d.c;
}
static double tangent(const double *x, const double *v) {
  return __enzyme_fwddiff((void *)price, enzyme_dup, x[0], v[0], enzyme_dup, x[1], v[1], enzyme_dup, x[2], v[2], 20, 5);
}

int main(void) {
  double x[3] = {1.05, 0.4, 0.03};
  CHECK(objective, gradient, tangent, x);
  return check_done();
}
