/* Pointers that globals hold when a derivative begins: into other globals, as initialisers say, and to constants, in
 * structures that one pointer reaches beside active ones. */
#include "check.h"

static double held[4], base[4] = {0.5, 1.5, 2.5, 3.5};
static double *current = held;
static struct {
  int n;
  double *at[2];
} rows = {2, {held + 2, base}};
static NOINLINE double crossed(const double *p) { return p[0] * p[1]; }

double initialised(const double *x) {
  for (int i = 0; i < 4; i++) held[i] = x[i % 2] * (i + 1);
  double s = crossed(current) + crossed(current + 1);
  for (int i = 0; i < rows.n; i++) s += crossed(rows.at[i]) * x[i];
  return s * x[0];
}
DERIVED(initialised)

struct item {
  const double *at;
  double factor;
};
static struct item items[4];
static NOINLINE double used(const struct item *item, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) s += item[i].at[0] * item[i].at[0] * item[i].factor;
  return s;
}
static NOINLINE void copied(struct item *to, const struct item *from, int n) { memcpy(to, from, n * sizeof *to); }

double chosen(const double *x) {
  struct item own[4], other[4];
  for (int i = 0; i < 4; i++) own[i] = (struct item){x + i % 2, x[0]};
  double s = 0;
  for (int k = 0; k < 3; k++) s += used(k == 1 ? items : own, 4) * x[1];
  for (int k = 0; k < 3; k++) {
    copied(other, k == 1 ? items : own, x[0] < 100 ? 4 : 3);
    s += used(other, 4) * x[1];
  }
  return s;
}
DERIVED(chosen)

int main(int count, char **words) {
  for (int i = 0; i < 4; i++) items[i] = (struct item){base + i, i + 0.5};
  if (count > 5) current = base;
  double x[] = {0.7, 1.2};
  CHECK_DERIVED(initialised, x);
  CHECK_DERIVED(chosen, x);
  return check_done();
}
