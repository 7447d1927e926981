/* Loops over pairs of numbers that begin where the address is right for aligned accesses; the derivative lies elsewhere,
 * at an address that is not. */
#include "check.h"

typedef double pair __attribute__((vector_size(16)));

static NOINLINE void scale(double *to, const double *from, int n, double by) {
  int i = 0;
  while (i < n && ((uintptr_t)(to + i) & 15)) {
    to[i] = from[i] * by;
    i++;
  }
  for (; i + 2 <= n; i += 2) {
    pair value = {from[i], from[i + 1]};
    *(pair *)(to + i) = value * by + *(pair *)(to + i);
  }
  for (; i < n; i++) to[i] = from[i] * by;
}

static double total(const double *x, double *work, int n) {
  for (int i = 0; i < n; i++) work[i] = x[i] * x[i];
  scale(work, x, n, x[0]);
  double s = 0;
  for (int i = 0; i < n; i++) s += work[i] * x[n - 1 - i];
  return s;
}

static __attribute__((aligned(16))) double memory[10], shadow[10];
static int shift;

static double shifted(const double *x) { return total(x, memory + shift, 7); }

static void shifted_reverse(const double *x, double *g) {
  memset(shadow, 0, sizeof shadow);
  __enzyme_autodiff((void *)total, enzyme_dup, x, g, enzyme_dup, memory + shift, shadow + 1 - shift, enzyme_const, 7);
}

static double shifted_forward(const double *x, const double *v) {
  memset(shadow, 0, sizeof shadow);
  return __enzyme_fwddiff((void *)total, enzyme_dup, x, v, enzyme_dup, memory + shift, shadow + 1 - shift, enzyme_const, 7);
}

static double local(const double *x) {
  double first[3], second[5], s = 0;
  for (int i = 0; i < 3; i++) first[i] = x[i] * x[i + 1];
  for (int i = 0; i < 5; i++) second[i] = x[i];
  scale(first, x, 3, x[2]);
  scale(second + 1, first, 3, x[4]);
  scale(second, first, 3, x[5]);
  for (int i = 0; i < 5; i++) s += second[i] * (i < 3 ? first[i] : 1);
  return s;
}
DERIVED(local)

int main(void) {
  double x[] = {1.25, -0.75, 2.125, 0.5, -1.5, 0.875, 1.1};
  for (shift = 0; shift < 2; shift++) CHECK(shifted, shifted_reverse, shifted_forward, x);
  CHECK_DERIVED(local, x);
  return check_done();
}
