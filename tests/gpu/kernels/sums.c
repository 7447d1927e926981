/* Sums that the program itself makes with atomic additions. */
#include "gpu.h"

static void gathered(double *x, double *y, int n) {
  int i = HERE;
  if (i < n) ATOMIC_ADD(&y[i % 4], x[i] * x[i]);
}
DERIVED(gathered)

/* bins that the data choose, in shared memory first */
static void bins(double *x, double *y, int n) {
  SHARED double bin[4];
  int i = HERE;
  if (THREAD < 4) bin[THREAD] = 0;
  WAIT();
  if (i < n) ATOMIC_ADD((double *)&bin[(int)(x[i] * 8) % 4], __nv_sin(x[i]));
  WAIT();
  if (THREAD < 4) ATOMIC_ADD(&y[THREAD], bin[THREAD] * x[0]);
}
DERIVED(bins)

/* added to and read by all afterwards */
static void shared_sum(double *x, double *y, int n) {
  int i = HERE;
  ATOMIC_ADD(&y[0], x[i] * x[i]);
  WAIT();
  x[i] = x[i] * y[0];
}
DERIVED(shared_sum)

/* energy of pairs, whose forces are the derivative */
static void energy(double *x, double *y, int n) {
  int i = HERE;
  if (i >= n) return;
  double total = 0;
  for (int j = 0; j < i; j++) {
    double d = x[i] - x[j], square = d * d + 0.01;
    total += 1 / (square * square) - 1 / square;
  }
  ATOMIC_ADD(y, total);
}
DERIVED(energy)
