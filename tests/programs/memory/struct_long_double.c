/* long double beside other members: its padding in structs and arrays, copied, swapped, in unions of the same size. */
#include "check.h"

struct wide {
  long double v;
  int n;
  double d;
};
static NOINLINE struct wide twice(struct wide w) { return (struct wide){w.v * w.d, w.n + 1, w.d * 2}; }
static double mix(const double *x) {
  struct wide a[3], b[3];
  for (int i = 0; i < 3; i++) a[i] = (struct wide){x[i] * x[i + 1], i, x[i]};
  memcpy(b, a, sizeof a);
  for (int i = 0; i < 3; i++) b[i] = twice(a[2 - i]);
  long double s = 0, t[2] = {x[0], x[1]};
  t[0] *= t[1];
  for (int i = 0; i < 3; i++) s += b[i].v * a[i].v + b[i].n * b[i].d;
  return (double)(s * t[0]);
}
DERIVED(mix)

int main(void) {
  double x[4] = {0.6, -0.45, 0.8, 0.5};
  CHECK_DERIVED(mix, x);
  return check_done();
}
