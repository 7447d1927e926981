/* A list of numbers that grows by realloc in a loop, is summed, grows again, and is freed. */
#include "check.h"

static double grow(const double *x, int n) {
  double *list = 0;
  int have = 0, used = 0;
  double s = 0;
  for (int round = 0; round < 3; round++) {
    for (int i = 0; i < n; i++) {
      if (used == have) {
        have = have ? 2 * have : 1;
        list = realloc(list, have * sizeof(double));
      }
      list[used] = x[i] * (used ? list[used - 1] + 0.5 : 1) + round;
      used++;
    }
    for (int i = 0; i < used; i++) s += list[i] * list[i] * (0.1 * i + 0.3);
    list[used / 2] *= s * 0.1;
  }
  free(list);
  return s;
}

static double objective(const double *x) { return grow(x, 5); }
static void gradient(const double *x, double *g) { __enzyme_autodiff((void *)grow, x, g, 5); }
static double tangent(const double *x, const double *v) { return __enzyme_fwddiff((void *)grow, enzyme_dup, x, v, 5); }

int main(void) {
  double x[5] = {0.6, -0.45, 0.8, 0.5, 0.3};
  for (int round = 0; round < 3; round++) CHECK(objective, gradient, tangent, x);
  return check_done();
}
