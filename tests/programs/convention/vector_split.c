/* Split mode of several lanes: augmented primals first, then the reverses, last to first. */
#include "check.h"
extern int enzyme_width, enzyme_tape;
extern void *__enzyme_augmentfwd(void *, ...);
extern void __enzyme_reverse(void *, ...);

static NOINLINE double weight(double a) { return a * a + 0.3 * a; }
static void step(double *x, int n) {
  for (int i = 0; i < n; i++) x[i] = x[i] * weight(x[i]) + x[(i + 1) % n];
}
static void two_steps(double *x, int n) {
  step(x, n);
  step(x, n);
}

static void check_all(void) {
  double x[4] = {0.3, 0.9, -0.4, 0.6}, u[4], d[3][4], one[4];
  void *tapes[2];
  memcpy(u, x, sizeof u);
  for (int k = 0; k < 3; k++)
    for (int i = 0; i < 4; i++) d[k][i] = cos(i + 2.0 * k);
  for (int i = 0; i < 2; i++)
    tapes[i] = __enzyme_augmentfwd((void *)step, enzyme_width, 3, enzyme_dup, u, d[0], d[1], d[2], enzyme_const, 4);
  memset(u, 255, sizeof u);
  for (int i = 1; i >= 0; i--)
    __enzyme_reverse((void *)step, enzyme_width, 3, enzyme_dup, u, d[0], d[1], d[2], enzyme_const, 4, tapes[i]);
  for (int k = 0; k < 3; k++) {
    memcpy(u, x, sizeof u);
    for (int i = 0; i < 4; i++) one[i] = cos(i + 2.0 * k);
    __enzyme_autodiff((void *)two_steps, enzyme_dup, u, one, enzyme_const, 4);
    for (int i = 0; i < 4; i++) check_value("lane", d[k][i], one[i], 1e-12);
  }
}

int main(void) {
  CHECK_ENGINE(check_all());
  return check_done();
}
