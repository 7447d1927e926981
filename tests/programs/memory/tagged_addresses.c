/* Addresses as integers: flags in the low bits, rounding to a boundary, offsets added by hand. */
#include "check.h"
#include <stdint.h>

struct slot {
  uintptr_t at;
  double w;
};

static NOINLINE struct slot tagged(double *block, int flag, double w) {
  struct slot s = {(uintptr_t)block | (flag != 0), w};
  return s;
}
static NOINLINE double opened(struct slot s, int i) {
  double *at = (double *)(s.at & ~(uintptr_t)7);
  return s.at & 1 ? at[i] * s.w : at[i] + s.w * s.w;
}

static double flags(const double *x) {
  double a[4], r = 0;
  for (int i = 0; i < 4; i++) a[i] = sin(x[i]);
  for (int i = 0; i < 4; i++) r += opened(tagged(a + i / 2, i % 2, x[i]), 1);
  return r * r;
}
DERIVED(flags)

static double aligned(const double *x) {
  char *raw = malloc(12 * sizeof(double) + 64);
  double *a = (double *)(((uintptr_t)raw + 63) & ~(uintptr_t)63), r = 0;
  for (int i = 0; i < 8; i++) a[i] = x[i % 4] * x[(i + 1) % 4];
  for (int i = 1; i < 8; i++) r += a[i] * a[i - 1];
  free(raw);
  return r;
}
DERIVED(aligned)

static double by_hand(const double *x) {
  double a[4] = {x[0], x[1] * x[0], x[2], sin(x[3])};
  uintptr_t at = (uintptr_t)a, end = at + sizeof a;
  double r = 1;
  for (; at < end; at += sizeof *a) r = 0.5 * r + *(double *)at * r;
  return r + *(double *)(end - 2 * sizeof *a);
}
DERIVED(by_hand)

int main(void) {
  double x[] = {0.7, -0.4, 1.1, 0.3};
  CHECK_DERIVED(flags, x);
  CHECK_DERIVED(aligned, x);
  CHECK_DERIVED(by_hand, x);
  return check_done();
}
