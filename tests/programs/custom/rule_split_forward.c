// reference: none (the registered derivative is scaled on purpose)
/* A forward derivative that reads a tape: the augmented primal runs first. */
#include "check.h"

static int calls;
static double g(double x, double *p) { return x * *p; }
struct up { double *tape; double value; };
static struct up g_up(double x, double *p, double *dp) {
  double *tape = malloc(2 * sizeof(double));
  calls++;
  tape[0] = *p;
  tape[1] = x;
  return (struct up){tape, x * *p};
}
static double g_forward(double x, double dx, double *p, double *dp, double *tape) {
  double d = 10 * (dx * tape[0] + *dp * tape[1]);
  free(tape);
  return d;
}
void *__enzyme_register_splitderivative_g[] = {(void *)g, (void *)g_up, (void *)g_forward};

static double f(double x, double y) { return g(x, &y) * g(y, &x); }

int main(void) {
  /* f = (x y)^2 with tangent 10 (dx y + dy x) of each factor */
  check_value("forward", __enzyme_fwddiff((void *)f, 2.0, 1.0, 3.0, 0.5), 2 * 6 * 10 * (3 + 1), 1e-14);
  check_value("calls", calls, 2, 0);
  return check_done();
}
