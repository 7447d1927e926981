/* memset over numbers, structs and parts of arrays, with lengths known and not; memory used again for something else. */
#include "check.h"

struct cell {
  double v;
  int n;
  float w;
};
static double clear_parts(const double *x, int n) {
  double t[8], s = 0;
  struct cell c[4];
  for (int round = 0; round < 3; round++) {
    for (int i = 0; i < 8; i++) t[i] = x[i % 4] * (round + i) + s * 0.1;
    memset(t + round, 0, n * sizeof(double));
    for (int i = 0; i < 8; i++) s += t[i] * t[7 - i];
    for (int i = 0; i < 4; i++) c[i] = (struct cell){x[i] * s, i, 0.5f};
    memset(&c[round], 0, sizeof c[0]);
    memset(c, 0, (n - 2) * sizeof c[0]);
    for (int i = 0; i < 4; i++) s += c[i].v * c[i].w + c[i].n * x[0];
  }
  return s;
}
static double objective(const double *x) { return clear_parts(x, 3); }
static void gradient(const double *x, double *g) { __enzyme_autodiff((void *)clear_parts, x, g, 3); }
static double tangent(const double *x, const double *v) {
  return __enzyme_fwddiff((void *)clear_parts, enzyme_dup, x, v, 3);
}

int main(void) {
  double x[4] = {0.6, -0.45, 0.8, 0.5};
  CHECK(objective, gradient, tangent, x);
  return check_done();
}
