/* enzyme_nofree: the tape stays, so that the reverse sweep can run for several seeds. */
#include "check.h"
extern void *__enzyme_augmentfwd(void *, ...);
extern void __enzyme_reverse(void *, ...);
extern double __enzyme_reverse_double(void *, ...);
extern int enzyme_nofree;

static NOINLINE double inner(const double *t, int n) {
  double s = 0;
  double *u = calloc(n, sizeof *u);
  for (int i = 0; i < n; i++) u[i / 2] += t[i] * t[n - 1 - i];
  for (int i = 0; i < n; i++) s += sin(u[i]) * t[i];
  free(u);
  return s;
}
static double f(const double *x, int n) {
  double t[8], s = 1;
  for (int i = 0; i < n; i++) t[i] = x[i] * x[i];
  for (int i = 0; i < n; i++) s = s * (0.5 + t[i] * 0.1);
  return s + inner(t, n);
}
static double objective(const double *x) { return f(x, 6); }
static void plain(const double *x, double *g) { __enzyme_autodiff((void *)f, enzyme_dup, x, g, enzyme_const, 6); }

static void check_all(void) {
  double x[6] = {0.3, 0.9, -0.4, 0.6, 1.2, 0.8}, g[6] = {0}, h[3][6] = {{0}};
  plain(x, g);
  void *tape = __enzyme_augmentfwd((void *)f, enzyme_dup, x, h[0], enzyme_const, 6);
  for (int k = 0; k < 2; k++)
    __enzyme_reverse((void *)f, enzyme_nofree, enzyme_dup, x, h[k], enzyme_const, 6, 1.0 + k, tape);
  __enzyme_reverse((void *)f, enzyme_dup, x, h[2], enzyme_const, 6, 3.0, tape);
  for (int k = 0; k < 3; k++)
    for (int i = 0; i < 6; i++) check_value("again", h[k][i], (k + 1) * g[i], 1e-12);
}

int main(void) {
  double x[6] = {0.3, 0.9, -0.4, 0.6, 1.2, 0.8};
  CHECK(objective, plain, 0, x);
  CHECK_ENGINE(check_all());
  return check_done();
}
