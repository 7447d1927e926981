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

/* What is read there is constant, also where it has just been written: the derivative is the value and no more. */
static double read_back(const double *x) {
  last = x[0] * x[1];
  return last * x[0];
}
static double between(const double *x) {
  note(x[0] * x[1]);
  history[2] = last * x[1];
  return last * x[0] + history[2] * x[1];
}

int main(void) {
  double x[3] = {1, 2, 3}, dx[3] = {0}, v[3] = {1, 1, 1};
  __enzyme_autodiff((void *)f, x, dx, 3);
  for (int i = 0; i < 3; i++) check_value("reverse", dx[i], 6 * x[i], 1e-14);
  check_value("forward", __enzyme_fwddiff((void *)f, x, v, 3), 36, 1e-14);
  check_value("last", last, 3, 0);
  check_value("history", history[1], 2, 0);
  double y[2] = {0.7, 1.3}, dy[2] = {0}, back[2] = {0}, w[2] = {1, 2};
  __enzyme_autodiff((void *)read_back, y, dy);
  check_value("read back [0]", dy[0], 0.91, 1e-14);
  check_value("read back [1]", dy[1], 0, 0);
  check_value("read back, forward", __enzyme_fwddiff((void *)read_back, y, w), 0.91, 1e-14);
  __enzyme_autodiff((void *)between, y, back);
  check_value("between [0]", back[0], 0.91, 1e-14);
  check_value("between [1]", back[1], 0.91 * 1.3, 1e-14);
  check_value("between, forward", __enzyme_fwddiff((void *)between, y, w), 0.91 + 2 * 0.91 * 1.3, 1e-14);
  return check_done();
}
