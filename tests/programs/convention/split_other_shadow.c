/* Each reverse sweep over one tape has shadows of its own: what the tape holds is no address in the first one's. */
#include "check.h"
extern void *__enzyme_augmentfwd(void *, ...);
extern void __enzyme_reverse(void *, ...);
extern int enzyme_nofree;

static NOINLINE double picked(const double *x, long *at, int n) {
  double s = 1;
  for (int i = 0; i < n; i++) {
    s = s * (0.5 + x[at[i]] * x[at[i]]);
    at[i] = 0;
  }
  return s;
}
static NOINLINE double walked(const double *x, long *at, int n) {
  double s = 0, t[4] = {0};
  for (const double *p = x; p < x + n; p += 2) {
    double *u = calloc(at[0], sizeof *u);
    for (int j = 0; j < at[0]; j++) u[j] = p[j % 2] * (j + 1);
    s += u[at[0] - 1] * *p * s + u[0];
    t[(p - x) & 3] += s;
    free(u);
  }
  at[0] = 1;
  return s * t[2];
}

static double f(const double *x, int n) {
  long at[6] = {5, 3, 2, 1, 4, 0}, few[1] = {3};
  return picked(x, at, n) + walked(x, few, n);
}
static double objective(const double *x) { return f(x, 6); }
static void plain(const double *x, double *g) { __enzyme_autodiff((void *)f, enzyme_dup, x, g, enzyme_const, 6); }

static void check_all(void) {
  double x[6] = {0.3, 0.9, -0.4, 0.6, 1.2, 0.8}, g[6] = {0}, h[4][6] = {{0}};
  plain(x, g);
  void *tape = __enzyme_augmentfwd((void *)f, enzyme_dup, x, h[3], enzyme_const, 6);
  for (int k = 0; k < 2; k++)
    __enzyme_reverse((void *)f, enzyme_nofree, enzyme_dup, x, h[k], enzyme_const, 6, 1.0 + k, tape);
  __enzyme_reverse((void *)f, enzyme_dup, x, h[2], enzyme_const, 6, 3.0, tape);
  for (int k = 0; k < 3; k++)
    for (int i = 0; i < 6; i++) check_value("other", h[k][i], (k + 1) * g[i], 1e-11);
  for (int i = 0; i < 6; i++) check_value("first", h[3][i], 0, 1e-11);
}

int main(void) {
  double x[6] = {0.3, 0.9, -0.4, 0.6, 1.2, 0.8};
  CHECK(objective, plain, 0, x);
  CHECK_ENGINE(check_all());
  return check_done();
}
