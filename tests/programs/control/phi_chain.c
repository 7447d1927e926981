/* Many values merged at many joins, with some of them unused on some paths. */
#include "check.h"

static double merge(double a, double b, double c, int mask) {
  double p, q, r;
  if (mask & 1) {
    p = a * b;
    q = sin(c);
  } else {
    p = b;
    q = a * a;
  }
  if (mask & 2) {
    r = p + q;
    if (mask & 4) p = r * c;
    else q = r - p * p;
  } else if (mask & 8) {
    r = exp(q * 0.3);
  } else {
    r = 1;
  }
  double s = 0;
  for (int bit = 0; bit < 4; bit++) {
    double t;
    if (mask >> bit & 1) t = p, p = q, q = r, r = t;
    else t = q * 0.5;
    s += t * (bit + 1);
  }
  return s + p * q * r;
}

static double sum(const double *x) {
  double s = 0;
  for (int mask = 0; mask < 16; mask++) s = 0.8 * s + merge(x[0], x[1], x[2], mask) * (s > 1 ? 0.5 : 1.0);
  return s;
}

static void gradient(const double *x, double *g) { __enzyme_autodiff((void *)sum, x, g); }
static double tangent(const double *x, const double *v) { return __enzyme_fwddiff((void *)sum, enzyme_dup, x, v); }

int main(void) {
  double x[3] = {0.6, -0.45, 0.8}, y[3] = {-0.3, 0.9, 0.2};
  CHECK(sum, gradient, tangent, x);
  CHECK(sum, gradient, tangent, y);
  return check_done();
}
