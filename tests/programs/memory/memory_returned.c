/* Functions that return memory: fresh blocks, parts of arguments, the larger of two, structs with pointers in them. */
#include "check.h"

struct view {
  double *p;
  int n;
};
static NOINLINE double *copy_of(const double *x, int n) {
  double *t = malloc(n * sizeof(double));
  memcpy(t, x, n * sizeof(double));
  return t;
}
static NOINLINE double *zeros(int n) { return calloc(n, sizeof(double)); }
static NOINLINE double *larger(double *a, double *b) { return *a > *b ? a : b; }
static NOINLINE struct view part(struct view v, int from) { return (struct view){v.p + from, v.n - from}; }
static NOINLINE double **table(int n) {
  double **t = malloc(n * sizeof *t);
  for (int i = 0; i < n; i++) t[i] = zeros(n);
  return t;
}
static double f(const double *x) {
  double *a = copy_of(x, 4), *z = zeros(4), **t = table(3);
  double s = 0;
  for (int i = 0; i < 4; i++) z[i] += a[3 - i] * a[i];
  *larger(&a[0], &a[2]) *= 3;
  *larger(&z[1], &z[0]) += a[1];
  struct view v = {a, 4}, w = part(part(v, 1), 1);
  for (int i = 0; i < w.n; i++) w.p[i] *= z[i];
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) t[i][k] += a[i] * z[k];
  for (int i = 0; i < 4; i++) s += a[i] * z[i];
  for (int i = 0; i < 3; i++) s += t[i][i] * t[0][i];
  for (int i = 0; i < 3; i++) free(t[i]);
  free(t);
  free(a);
  free(z);
  return s;
}
DERIVED(f)

int main(void) {
  double x[4] = {0.6, -0.45, 0.8, 0.5};
  for (int i = 0; i < 2; i++) CHECK_DERIVED(f, x);
  return check_done();
}
