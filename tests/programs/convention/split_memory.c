/* Split mode on memory that the program changes in between, as a function that works in place does. */
#include "check.h"
extern void __enzyme_augmentfwd(void *, ...);
extern void __enzyme_reverse(void *, ...);
extern size_t __enzyme_augmentsize(void *, ...);
extern int enzyme_tape, enzyme_allocated;

static NOINLINE double weight(double a) { return a * a + 0.3 * a; }
static void step(double *x, int n) {
  for (int i = 0; i < n; i++) x[i] = x[i] * weight(x[i]) + x[(i + 1) % n];
}
static double objective(const double *x) { /* two steps, then a sum */
  double u[4], s = 0;
  memcpy(u, x, sizeof u);
  step(u, 4);
  step(u, 4);
  for (int i = 0; i < 4; i++) s += u[i] * (i + 1);
  return s;
}
static void gradient(const double *x, double *g) { /* the same by hand from two halves */
  double u[4];
  void *tapes[2];
  size_t size = __enzyme_augmentsize((void *)step, enzyme_dup, enzyme_const);
  if (size > sizeof(void *)) abort();
  memcpy(u, x, sizeof u);
  for (int i = 0; i < 2; i++)
    __enzyme_augmentfwd((void *)step, enzyme_allocated, size, enzyme_tape, &tapes[i], enzyme_dup, u, g, enzyme_const, 4);
  memset(u, 255, sizeof u);
  for (int i = 0; i < 4; i++) g[i] = i + 1;
  for (int i = 1; i >= 0; i--)
    __enzyme_reverse((void *)step, enzyme_allocated, size, enzyme_tape, &tapes[i], enzyme_dup, u, g, enzyme_const, 4);
}

int main(void) {
  double x[4] = {0.3, 0.9, -0.4, 0.6};
  CHECK(objective, gradient, 0, x);
  return check_done();
}
