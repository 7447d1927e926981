/* A function that copies bytes, called with integers here and with numbers there: what it copies is known of all its
 * calls together, whichever derivative is made first. */
#include "check.h"

static NOINLINE void move(void *to, const void *from) { memcpy(to, from, 8); }

static NOINLINE void move_all(void *to, const void *from, int n) {
  for (int i = 0; i < n; i++) move((char *)to + 8 * i, (const char *)from + 8 * i);
}

static double integers(const double *x) {
  long a[2] = {3, 4}, b[2];
  move_all(b, a, 2);
  return x[0] * b[0] * b[1];
}
DERIVED(integers)

static double numbers(const double *x) {
  double a[2] = {x[0] * x[1], x[1]}, b[2];
  move_all(b, a, 2);
  return b[0] * b[1];
}
DERIVED(numbers)

static double both(const double *x) {
  long a[2] = {3, 4}, b[2];
  double c[2] = {x[0] * x[1], x[1]}, d[2];
  move_all(d, c, 2);
  move_all(b, a, 2);
  move_all(d + 1, d, 1);
  return x[0] * b[0] * b[1] + d[0] * d[1];
}
DERIVED(both)

int main(void) {
  const double x[] = {0.7, -1.1};
  CHECK_DERIVED(integers, x);
  CHECK_DERIVED(numbers, x);
  CHECK_DERIVED(both, x);
  return check_done();
}
