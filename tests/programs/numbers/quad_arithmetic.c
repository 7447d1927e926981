/* __float128: sums, products, quotients, conversions, arrays. */
#include "check.h"

typedef __float128 quad;
static double horner(const double *p) {
  quad s = 1, v[3];
  for (int i = 0; i < 3; i++) v[i] = (quad)p[i] * 2;
  for (int i = 0; i < 3; i++) { s = s * v[i] + (quad)p[0]; v[i] = s; }
  return (double)(s / (v[0] * v[0] + 1) - v[1]);
}
DERIVED(horner)
static double branch(const double *p) {
  quad a = p[0], b = p[1];
  quad c = a > b ? a * a - b : -(b * b * a);
  if (c < 0) c = -c;
  return (double)(c * (long double)p[2] + (float)2);
}
DERIVED(branch)

int main(void) {
  double a[] = {0.7, 1.1, 0.4}, b[] = {-0.3, -0.6, 1.9};
  CHECK_DERIVED(horner, a);
  CHECK_DERIVED(horner, b);
  CHECK_DERIVED(branch, a);
  CHECK_DERIVED(branch, b);
  return check_done();
}
