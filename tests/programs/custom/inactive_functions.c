// reference: none (what is declared inactive has another derivative than differences see)
/* Functions declared inactive: defined here, defined elsewhere, with and without results, by array and by annotation. */
#include "check.h"

static int calls;
static double last;

static void note(const double *x, int n) {
  calls++;
  for (int i = 0; i < n; i++) last = x[i];
}
static double weight(double x) { return 3 * x; }
__attribute__((annotate("enzyme_inactive"))) static double slope(double x) { return 5 * x; }
extern double remainder(double, double);
static double tick(double x) { return remainder(x, 1e9); }
void *__enzyme_inactivefn_all[] = {(void *)note, (void *)weight};
void *__enzyme_inactivefn_one = (void *)tick;

static double f(const double *x, int n) {
  double s = 0;
  note(x, n);
  for (int i = 0; i < n; i++) s += weight(x[i]) * x[i] + slope(x[i]) * x[i] + tick(x[i]);
  return s;
}

int main(void) {
  double x[3] = {1, 2, 3}, dx[3] = {0}, v[3] = {1, 1, 1};
  __enzyme_autodiff((void *)f, x, dx, 3);
  for (int i = 0; i < 3; i++) check_value("reverse", dx[i], 8 * x[i], 1e-14);
  check_value("forward", __enzyme_fwddiff((void *)f, x, v, 3), 8 * 6, 1e-14);
  check_value("calls", calls, 2, 0);
  check_value("last", last, 3, 0);
  return check_done();
}
