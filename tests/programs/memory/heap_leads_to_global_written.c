// aborts: a pointer from before leads to global 'held', which is active
/* A function that nothing active is seen to go into, nor to come out of, changes the numbers that are held. */
#include "check.h"

static double held[3];
struct table { double *cells; } *table;

static NOINLINE void twice(void) {
  for (int i = 0; i < 3; i++) table->cells[i] *= 2;
}

double changed(const double *x) {
  double s = 0;
  for (int i = 0; i < 3; i++) held[i] = x[i] * x[i];
  twice();
  for (int i = 0; i < 3; i++) s += held[i];
  return s;
}
DERIVED(changed)

int main(void) {
  double x[] = {1, 2, 3};
  table = calloc(1, sizeof(*table));
  table->cells = held;
  CHECK_DERIVED(changed, x);
  return check_done();
}
