/* A dense switch in a loop, with fall-through and a default. */
#include "check.h"

static double interpret(const double *x, const int *code, int n) {
  double s = x[0];
  for (int i = 0; i < n; i++) {
    switch (code[i]) {
      case 0: s += x[i % 4]; break;
      case 1: s *= x[i % 4]; break;
      case 2: s = sin(s); break;
      case 3: s = s * s; /* fall through */
      case 4: s -= 0.5 * x[1]; break;
      case 5: s = exp(-s * s); /* fall through */
      case 6: s /= 1 + x[2] * x[2]; /* fall through */
      default: s += 0.125;
    }
  }
  return s;
}

static const int program[10] = {0, 3, 1, 5, 9, 4, 6, 2, 1, -7};
static double objective(const double *x) { return interpret(x, program, 10); }
static void gradient(const double *x, double *g) {
  __enzyme_autodiff((void *)interpret, enzyme_dup, x, g, enzyme_const, program, 10);
}
static double tangent(const double *x, const double *v) {
  return __enzyme_fwddiff((void *)interpret, enzyme_dup, x, v, enzyme_const, program, 10);
}

int main(void) {
  double x[4] = {0.7, -1.3, 0.6, 1.2};
  CHECK(objective, gradient, tangent, x);
  return check_done();
}
