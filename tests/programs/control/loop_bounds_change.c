/* The body changes its own bound and its own counter; a bound is reread from memory in every round. */
#include "check.h"

static double shrinking(const double *x, int n) {
  double s = 0.1;
  for (int i = 0; i < n; i++) {
    s = s * 0.8 + x[i];
    if (s > 1) n--;
    if (s < -0.5) i++;
  }
  return s + n;
}
struct list {
  int count;
  double sum, value[12];
};
static double worklist(const double *x, int n) {
  struct list work = {0};
  for (int i = 0; i < n; i++) work.value[work.count++] = x[i];
  for (int i = 0; i < work.count; i++) {
    double v = work.value[i];
    work.sum += v * v * (i + 1);
    if (v > 0.5 && work.count < 12) work.value[work.count++] = v * 0.8 - 0.1 * x[0];
    if (v < -0.5) work.count--;
  }
  return work.sum;
}
static double f(const double *x) { return shrinking(x, 8); }
static double g(const double *x) { return worklist(x, 8); }
DERIVED(f)
DERIVED(g)

int main(void) {
  double x[8] = {0.6, 0.7, -0.55, 0.75, -1.9, 0.4, 1.1, -0.2}, y[8] = {1.6, 1.7, 0.45, 1.2, -0.9, 0.75, 1.3, 0.2};
  CHECK_DERIVED(f, x);
  CHECK_DERIVED(f, y);
  CHECK_DERIVED(g, x);
  CHECK_DERIVED(g, y);
  return check_done();
}
