/* Pointers chosen at run time: by a conditional, by a loop, by an index; written through as well. */
#include "check.h"

static double choose(const double *a, const double *b, int n, int mask) {
  double store[4] = {0, 0, 0, 0};
  double s = 0;
  for (int i = 0; i < n; i++) {
    const double *p = mask >> i & 1 ? a : b;
    double *out = i % 3 == 0 ? &store[0] : i % 3 == 1 ? &store[1] : &store[3];
    s += p[i] * p[i] * a[n - 1 - i];
    *out += s * 0.5;
  }
  const double *q = a;
  while (q < a + n && *q < 0.7) q++;
  if (q == a + n) q = b;
  return s * store[0] + store[1] * store[3] + 2 * *q;
}

static double objective(const double *x) { return choose(x, x + 5, 5, 0x15); }
static void gradient(const double *x, double *g) {
  __enzyme_autodiff((void *)choose, enzyme_dup, x, g, enzyme_dup, x + 5, g + 5, 5, 0x15);
}
static double tangent(const double *x, const double *v) {
  return __enzyme_fwddiff((void *)choose, enzyme_dup, x, v, enzyme_dup, x + 5, v + 5, 5, 0x15);
}

int main(void) {
  double x[10] = {0.6, -0.45, 0.8, 0.5, 1.2, 0.02, 0.9, -0.4, 0.3, 1.1}, y[10] = {0.6, 0.5, 0.4, 0.5, 0.3, 1, 2, 3, 4, 5};
  CHECK(objective, gradient, tangent, x);
  CHECK(objective, gradient, tangent, y);
  return check_done();
}
