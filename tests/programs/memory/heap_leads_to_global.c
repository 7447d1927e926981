// aborts: a pointer from before leads to global 'held', which is active
/* A pointer in memory that somebody else made leads to a global in which the function keeps its numbers: what is read by
 * it depends on them, and no derivative can see that. */
#include "check.h"

static double held[3];
struct table { double *cells; int n; } *table;

static double direct(const double *x) {
  double s = 0;
  for (int i = 0; i < 3; i++) held[i] = x[i] * x[i];
  for (int i = 0; i < table->n; i++) s += table->cells[i];
  return s;
}
DERIVED(direct)

int main(void) {
  double x[] = {1, 2, 3};
  table = malloc(sizeof(*table));
  table->n = 3, table->cells = held;
  CHECK_DERIVED(direct, x);
  return check_done();
}
