/* Functions that keep numbers in globals and read, by pointers in memory that somebody else made, what is no such global:
 * constants beside it, and the global itself where nobody asks for what is found there. */
#include "check.h"

static double held[3], beside[3] = {0.5, 1.5, -2};
struct table { double *cells; double *seen; struct table *next; } *table;
static double last;

static NOINLINE double cell(const struct table *t, int i) { return t->next ? cell(t->next, i) : t->cells[i]; }
static NOINLINE void look(void) { last = table->seen[0]; }

double weighed(const double *x) {
  double s = 0;
  for (int i = 0; i < 3; i++) held[i] = x[i] * x[(i + 1) % 3];
  for (int i = 0; i < 3; i++) s += held[i] * held[i] * table->cells[i] * cell(table, i);
  look();
  return s;
}
DERIVED(weighed)

static double slope(const double *x) {
  double g[3] = {0}, s = 0;
  GRADIENT_OF(weighed, x, g, 3);
  for (int i = 0; i < 3; i++) s += g[i] * (1 + i);
  return s;
}
DERIVED(slope)

int main(void) {
  double x[] = {1.1, 0.7, -0.4};
  table = calloc(2, sizeof(*table));
  table->next = table + 1;
  table[0].cells = table[1].cells = beside;
  table->seen = held;
  CHECK_DERIVED(weighed, x);
  CHECK_ENGINE(CHECK_DERIVED(slope, x));
  return check_done();
}
