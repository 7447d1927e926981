/* A pointer that is moved byte by byte, which takes its shadow along. */
#include "check.h"

double moved_bytes(const double *x) {
  double t[4], *p = t + 1, *q;
  unsigned char bytes[8];
  for (int i = 0; i < 4; i++) t[i] = x[i] * x[i];
  for (int i = 0; i < 8; i++) bytes[i] = ((unsigned char *)&p)[i];
  for (int i = 0; i < 8; i++) ((unsigned char *)&q)[i] = bytes[i];
  return q[0] * q[1] + x[3];
}
DERIVED(moved_bytes)

int main(void) {
  double x[] = {1.3, -0.7, 2.1, 0.4};
  CHECK_DERIVED(moved_bytes, x);
  return check_done();
}
