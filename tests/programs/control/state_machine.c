/* A state machine: a switch in an endless loop, left from one of its states. */
#include "check.h"

static double machine(const double *x, int n) {
  enum { START, GROW, SHRINK, MIX, END } state = START;
  double a = 0.1, b = 1;
  int i = 0;
  for (;;) {
    switch (state) {
      case START:
        a += x[0];
        state = GROW;
        break;
      case GROW:
        a = a * (1 + x[i % n] * x[i % n]);
        i++;
        state = a > 1.5 ? SHRINK : i > 12 ? END : i % 4 == 0 ? MIX : GROW;
        break;
      case SHRINK:
        a = tanh(a) * b;
        state = MIX;
        break;
      case MIX:
        b = 0.5 * b + sin(a) * x[(i + 1) % n];
        i++;
        state = i > 12 ? END : GROW;
        break;
      case END: return a * b;
    }
  }
}

static double objective(const double *x) { return machine(x, 4); }
static void gradient(const double *x, double *g) { __enzyme_autodiff((void *)machine, x, g, 4); }
static double tangent(const double *x, const double *v) {
  return __enzyme_fwddiff((void *)machine, enzyme_dup, x, v, 4);
}

int main(void) {
  double x[4] = {0.6, -0.45, 0.8, 0.5}, y[4] = {1.6, 0.45, -0.8, 0.7};
  CHECK(objective, gradient, tangent, x);
  CHECK(objective, gradient, tangent, y);
  return check_done();
}
