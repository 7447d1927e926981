// reference: none (the registered derivative is another one on purpose)
/* A function that writes through a pointer; its rule is scaled, so that it shows that the rule is what was used. */
#include "check.h"

static int augmented, reversed, forwarded;

void square(const double *src, double *dest) { *dest = *src * *src; }

void augmented_square(const double *src, const double *dsrc, double *dest, double *ddest) {
  augmented++;
  *dest = *src * *src;
}

void reverse_square(const double *src, double *dsrc, const double *dest, double *ddest) {
  reversed++;
  *dsrc += 10 * *ddest;
  *ddest = 0;
}

void forward_square(const double *src, const double *dsrc, double *dest, double *ddest) {
  forwarded++;
  *dest = *src * *src;
  *ddest = 7 * *dsrc;
}

void *__enzyme_register_gradient_square[] = {(void *)square, (void *)augmented_square, (void *)reverse_square};
void *__enzyme_register_derivative_square[] = {(void *)square, (void *)forward_square};

static double f(const double *x, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) {
    double y;
    square(&x[i], &y);
    s += y * (i + 1);
  }
  return s;
}

int main(void) {
  double x[3] = {1, 2, 3}, dx[3] = {0}, v[3] = {1, -1, 2};
  __enzyme_autodiff((void *)f, enzyme_dup, x, dx, enzyme_const, 3);
  for (int i = 0; i < 3; i++) check_value("reverse", dx[i], 10 * (i + 1), 1e-14);
  check_value("augmented calls", augmented, 3, 0);
  check_value("reverse calls", reversed, 3, 0);
  double d = __enzyme_fwddiff((void *)f, enzyme_dup, x, v, enzyme_const, 3);
  check_value("forward", d, 7 * (1 * 1 - 1 * 2 + 2 * 3), 1e-14);
  check_value("forward calls", forwarded, 3, 0);
  return check_done();
}
