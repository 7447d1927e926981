/* Pointers that library functions return into what they were given: mempcpy's end of a copy, the place of a byte. */
#define _GNU_SOURCE
#include "check.h"
#include <string.h>

typedef struct { char tag[8]; double value[3]; } Entry;

static NOINLINE double *gathered(double *to, const double *x, int n) {
  for (int i = 0; i < 2; i++) to = mempcpy(to, x + i, (n - i) * sizeof *x);
  return to;
}
static NOINLINE double tagged(Entry *entries, int n, char wanted) {
  double y = 0;
  for (int i = 0; i < n; i++) {
    char *found = memchr(entries[i].tag, wanted, sizeof entries[i].tag);
    if (!found) continue;
    Entry *e = (Entry *)(found - (found - entries[i].tag));
    y += e->value[(found - e->tag) % 3] * e->value[0];
    e->value[1] *= y;
  }
  return y + entries[0].value[1];
}
static double objective(const double *x) {
  double room[16], *end = gathered(room, x, 4);
  *end++ = x[2] * x[3];
  double y = 0;
  for (double *p = room; p < end; p++) y += *p * *p * (1 + (p - room));
  Entry entries[3] = {{"abc", {x[0], x[1], x[2]}}, {"xyz", {x[1], x[2], x[3]}}, {"cab", {x[3], x[0], x[1]}}};
  return y + tagged(entries, 3, 'a') * end[-1] + tagged(entries, 3, 'b');
}
static void reverse(const double *x, double *g) { __enzyme_autodiff((void *)objective, enzyme_dup, x, g); }
static double forward(const double *x, const double *v) {
  return __enzyme_fwddiff((void *)objective, enzyme_dup, x, v);
}

int main(void) {
  double x[] = {1.3, 0.8, 2.21, -0.6};
  CHECK(objective, reverse, forward, x);
  return check_done();
}
