// reference: none (what is declared inactive has another derivative than differences see)
/* Globals declared inactive, by an array and by an annotation, beside one that is not. */
#include "check.h"

static double last, scale = 3;
__attribute__((annotate("enzyme_inactive"))) static double history[4];
static double passed;
void *__enzyme_inactive_global_some[] = {(void *)&last, (void *)&scale};

static NOINLINE void note(double x) { last = x; }
static double f(const double *x, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) {
    note(x[i]);
    history[i] = x[i];
    passed = x[i] * x[i];
    s += scale * passed;
  }
  return s;
}

int main(void) {
  double x[3] = {1, 2, 3}, dx[3] = {0}, v[3] = {1, 1, 1};
  __enzyme_autodiff((void *)f, x, dx, 3);
  for (int i = 0; i < 3; i++) check_value("reverse", dx[i], 6 * x[i], 1e-14);
  check_value("forward", __enzyme_fwddiff((void *)f, x, v, 3), 36, 1e-14);
  check_value("last", last, 3, 0);
  check_value("history", history[1], 2, 0);
  return check_done();
}
