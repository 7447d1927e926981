/* Loops made of goto that stay reducible: two back edges to one header, a loop entered by falling in, a shared tail. */
#include "check.h"

static double jumps(const double *x, int n) {
  double s = 0.2;
  int i = 0;
again:
  if (i >= n) goto done;
  s += x[i] * s;
  i++;
  if (s > 2) {
    s = sqrt(s);
    goto again;
  }
  if (i % 3 == 1) goto tail;
  s = s + sin(x[i - 1]);
  goto again;
tail:
  s *= 0.9 + 0.1 * x[i - 1];
  goto again;
done:
  if (s < 0) goto out;
  s = s * s;
out:
  return s;
}

static double objective(const double *x) { return jumps(x, 8); }
static void gradient(const double *x, double *g) { __enzyme_autodiff((void *)jumps, x, g, 8); }
static double tangent(const double *x, const double *v) { return __enzyme_fwddiff((void *)jumps, enzyme_dup, x, v, 8); }

int main(void) {
  double x[8] = {0.3, 1.8, 0.2, 1.6, 0.45, 0.7, 1.4, 0.15}, y[8] = {-0.3, -0.8, 0.2, -0.6, 0.45, -0.7, -1.4, 0.1};
  CHECK(objective, gradient, tangent, x);
  CHECK(objective, gradient, tangent, y);
  return check_done();
}
