/* Pointers subtracted, compared and stepped; interior pointers that outlive what they were made from. */
#include "check.h"

static const double *largest(const double *from, const double *to) {
  const double *best = from;
  for (const double *p = from; p != to; p++)
    if (*p > *best) best = p;
  return best;
}
static double f(const double *x) {
  double a[8], *end = a + 8, *p = a, s = 0;
  const double *slot[4];
  memcpy(a, x, sizeof a);
  for (int k = 0; k < 4; k++) slot[k] = largest(a + k, end - k);
  for (int k = 0; k < 4; k++) s += *slot[k] * (slot[k] - a) + slot[k][0] * a[slot[3] - slot[k] < 0 ? 1 : 2];
  while (p < end - 1) {
    *p *= p[1] + (p - a);
    p += 1 + (p[1] > 0.5);
  }
  for (double *q = end; q-- > a;) s = s * 0.8 + *q * *slot[(q - a) % 4];
  return s;
}
DERIVED(f)

int main(void) {
  double x[8] = {0.6, 0.7, -0.55, 0.75, -1.1, 0.4, 1.1, -0.2};
  CHECK_DERIVED(f, x);
  return check_done();
}
