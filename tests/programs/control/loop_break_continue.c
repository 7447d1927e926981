/* break and continue in nested loops, on integers and on data. */
#include "check.h"

static double mixed(const double *x, int n) {
  double s = 0.5;
  for (int i = 0; i < n; i++) {
    if (i == 2) continue;
    if (x[i] < -2) break;
    for (int j = 0; j < n; j++) {
      if ((i + j) % 3 == 0) continue;
      if (x[j] > 1.5) break;
      s = s * 0.9 + x[i] * sin(x[j]);
      if (s > 10) {
        s = sqrt(s);
        continue;
      }
      s += 0.01 * s * s;
    }
    if (s < -5) break;
    s += x[i];
  }
  return s;
}

static double objective(const double *x) { return mixed(x, 6); }
static void gradient(const double *x, double *g) { __enzyme_autodiff((void *)mixed, x, g, 6); }
static double tangent(const double *x, const double *v) {
  return __enzyme_fwddiff((void *)mixed, enzyme_dup, x, v, 6);
}

int main(void) {
  double x[6] = {0.3, 0.4, -0.2, 0.6, 0.5, -0.7}, y[6] = {0.9, 1.1, 1.2, 2.3, 0.5, -0.7},
         z[6] = {1.2, 1.4, 0.3, -2.6, 1.1, 1.0}, w[6] = {-1.9, -1.8, 1.2, -1.7, 1.1, -1.2};
  CHECK(objective, gradient, tangent, x);
  CHECK(objective, gradient, tangent, y);
  CHECK(objective, gradient, tangent, z);
  CHECK(objective, gradient, tangent, w);
  return check_done();
}
