/* Calls that return structs of mixed types, pointers into their arguments, pointers to fresh blocks, and status codes. */
#include "check.h"

struct found {
  double value;
  int at;
  float weight;
  double *where;
};
struct small {
  double v;
  int ok;
};
static NOINLINE struct found largest(double *a, int n) {
  struct found r = {a[0], 0, 0.5f, a};
  for (int i = 1; i < n; i++)
    if (a[i] > r.value) r = (struct found){a[i], i, 0.5f * i, &a[i]};
  return r;
}
static NOINLINE struct small root(double v) {
  struct small r = {0, 0};
  if (v > 0) r.v = sqrt(v), r.ok = 1;
  return r;
}
static NOINLINE double *doubled(const double *a, int n) {
  double *r = malloc(n * sizeof *r);
  for (int i = 0; i < n; i++) r[i] = 2 * a[i] * a[i];
  return r;
}
static NOINLINE double *skip(double *a, int n) { return a + n % 3; }
static double f(const double *x) {
  double a[6], s = 0;
  memcpy(a, x, sizeof a);
  for (int round = 0; round < 3; round++) {
    struct found top = largest(a, 6);
    s += top.value * top.value * top.weight + top.at;
    *top.where = 0.3 * top.value * s;
    struct small r = root(s);
    if (r.ok) s += r.v;
    double *d = doubled(a, 6);
    skip(d, round)[1] *= a[2];
    s += d[1] * d[2] + skip(a, 2)[0];
    free(d);
  }
  return s;
}
DERIVED(f)

int main(void) {
  double x[6] = {0.6, 0.7, -0.55, 0.75, -0.8, 0.4};
  CHECK_DERIVED(f, x);
  return check_done();
}
