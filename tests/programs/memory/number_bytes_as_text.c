// refused: numbers are made of text that was written with active numbers, by '@strncpy'
/* The bytes of a number are copied as if they were a string. */
#include "check.h"

double as_text(const double *x) {
  double t = x[0] * x[1], r = 0;
  char a[9], b[9] = {0};
  memcpy(a, &t, 8);
  a[8] = 0;
  strncpy(b, a, 8);
  memcpy(&r, b, 8);
  if (memchr(a, 0, 8)) r = t;
  return r * x[2] + x[3];
}
DERIVED(as_text)

int main(void) {
  double x[] = {1.3, -0.7, 2.1, 0.4};
  CHECK_DERIVED(as_text, x);
  return check_done();
}
