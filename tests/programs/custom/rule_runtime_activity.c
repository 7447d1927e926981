// reference: none (there is nothing to difference in what is held constant)
/* With enzyme_runtime_activity a shadow that is the memory itself is constant: the rule is given none. */
#include "check.h"
extern int enzyme_runtime_activity;

static NOINLINE double dot(const double *a, const double *b, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) s += a[i] * b[i];
  return s;
}
static double dot_up(const double *a, double *da, const double *b, double *db, int n) { return dot(a, b, n); }
static void dot_back(const double *a, double *da, const double *b, double *db, int n, double seed) {
  for (int i = 0; i < n; i++) {
    if (da) da[i] += seed * b[i];
    if (db) db[i] += seed * a[i];
  }
}
void *__enzyme_register_gradient_dot[] = {(void *)dot, (void *)dot_up, (void *)dot_back};

static double f(const double *a, const double *b, int n) { return dot(a, b, n) * a[0]; }

int main(void) {
  double a[2] = {2, 3}, b[2] = {5, 7}, da[2] = {0};
  __enzyme_autodiff((void *)f, enzyme_runtime_activity, enzyme_dup, a, da, enzyme_dup, b, b, 2);
  check_value("a", da[0], 5 * 2 + 31, 1e-14);
  check_value("a", da[1], 7 * 2, 1e-14);
  check_value("b", b[0], 5, 0);
  check_value("b", b[1], 7, 0);
  return check_done();
}
