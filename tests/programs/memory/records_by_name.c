/* Strings and tables of records beside numbers: strdup, names compared, records found by name and changed. */
#include "check.h"

struct record {
  char *name;
  double value;
  int hits;
};
static NOINLINE struct record *lookup(struct record *t, int n, const char *name) {
  for (int i = 0; i < n; i++)
    if (strcmp(t[i].name, name) == 0) return &t[i];
  return 0;
}
static double table(const double *x) {
  static const char *names[] = {"alpha", "beta", "gamma"};
  struct record t[3];
  double s = 0;
  for (int i = 0; i < 3; i++) t[i] = (struct record){strdup(names[i]), x[i] * x[3], 0};
  for (int i = 0; i < 6; i++) {
    struct record *r = lookup(t, 3, names[(i * 2) % 3]);
    r->value = r->value * r->value + x[i % 4];
    r->hits++;
    s += r->value * r->hits;
  }
  for (int i = 0; i < 3; i++) s += t[i].value * t[i].hits, free(t[i].name);
  return s;
}
DERIVED(table)

int main(void) {
  double x[4] = {0.6, -0.45, 0.8, 0.5};
  CHECK_DERIVED(table, x);
  return check_done();
}
