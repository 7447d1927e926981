// flags: -fno-strict-aliasing
/* Memory of numbers is used again for integers, and then as the numbers their bits happen to be: constants. */
#include "check.h"

static NOINLINE void mark(long *p, int i) { p[i] = 5; }
static NOINLINE void count(long *p, int n) {
  for (long i = 0; i < n; i++) p[i] = i + 1;
}

double marked(const double *x) {
  double *a = malloc(32);
  for (int i = 0; i < 4; i++) a[i] = x[i] * x[i];
  double first = a[1] * x[1];
  mark((long *)a, 1);
  double sum = first + a[0] + a[1] * x[0] + a[2] * a[3];
  count((long *)a, 2);
  sum += a[0] * x[1] + a[1] + a[3];
  free(a);
  return sum;
}
DERIVED(marked)

int main(void) {
  double x[] = {1.3, -0.7, 2.1, 0.4};
  CHECK_DERIVED(marked, x);
  return check_done();
}
