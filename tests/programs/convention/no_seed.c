/* enzyme_noret and enzyme_const_return: the result is not differentiated, what goes through memory is. */
#include "check.h"
extern int enzyme_noret, enzyme_const_return;

static double f(const double *x, double *y, int n) {
  double norm = 0;
  for (int i = 0; i < n; i++) {
    y[i] = x[i] * x[i];
    norm += y[i];
  }
  return sqrt(norm);
}

static void check_all(void) {
  double x[3] = {1, 2, 3}, y[3], dx[3] = {0}, dy[3] = {1, 1, 1};
  __enzyme_autodiff((void *)f, enzyme_noret, enzyme_dup, x, dx, enzyme_dup, y, dy, enzyme_const, 3);
  for (int i = 0; i < 3; i++) {
    check_value("no seed", dx[i], 2 * x[i], 1e-14);
    dx[i] = 0;
    dy[i] = 2;
  }
  __enzyme_autodiff((void *)f, enzyme_const_return, enzyme_dup, x, dx, enzyme_dup, y, dy, enzyme_const, 3);
  for (int i = 0; i < 3; i++) check_value("constant result", dx[i], 4 * x[i], 1e-14);
}

int main(void) {
  CHECK_ENGINE(check_all());
  return check_done();
}
