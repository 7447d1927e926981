// refused: a pointer is made of text
/* An address that is written as text and read again leads to numbers, and nobody can see which. */
#include "check.h"

static double text(const double *x) {
  double v[2] = {x[0] * x[1], x[1]};
  char b[40];
  void *p = 0;
  snprintf(b, 40, "%p", (void *)v);
  sscanf(b, "%p", &p);
  return *(double *)p * x[0];
}
DERIVED(text)

int main(void) {
  const double x[] = {0.7, -1.1};
  CHECK_DERIVED(text, x);
  return check_done();
}
