// aborts: a pointer from before leads to global 'held', which is active
/* The same in functions that nothing active is seen to go into: numbers are read and written there. */
#include "check.h"

static double held[3];
struct table { double *cells; struct table *next; } *table;

static NOINLINE double cell(const struct table *t, int i) { return t->next ? cell(t->next, i) : t->cells[i]; }
static NOINLINE double first(int i) { return cell(table, i); }

double called(const double *x) {
  double s = 0;
  for (int i = 0; i < 3; i++) held[i] = x[i] * x[i];
  for (int i = 0; i < 3; i++) s += first(i);
  return s + x[0];
}

int main(void) {
  double x[] = {1, 2, 3}, v[] = {1, 0, 0};
  table = calloc(2, sizeof(*table));
  table->next = table + 1, table[1].cells = held;
  double slope = 0;
  CHECK_ENGINE(slope = __enzyme_fwddiff((void *)called, enzyme_dup, x, v));
  return slope == 3 ? 0 : 1;
}
