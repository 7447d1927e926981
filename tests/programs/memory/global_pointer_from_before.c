// aborts: a pointer in global 'work' leads to memory without a shadow
/* A buffer that an earlier call has made and a global keeps: its shadow is gone, and going on without it would lose
 * derivatives. */
#include "check.h"

double *work;
static NOINLINE void ready(void) {
  if (!work) work = malloc(4 * sizeof(double));
}
static NOINLINE void fill(const double *x) {
  for (int i = 0; i < 4; i++) work[i] = x[i] * x[i];
}
static NOINLINE double use(void) { return work[0] * work[1] + work[2] * work[3]; }

double kept_buffer(const double *x) {
  ready();
  fill(x);
  return use();
}
DERIVED(kept_buffer)

int main(void) {
  double x[] = {1.3, -0.7, 2.1, 0.4};
  CHECK_DERIVED(kept_buffer, x);
  return check_done();
}
