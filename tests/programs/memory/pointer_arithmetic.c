/* Differences and comparisons of pointers, walking both ways, an end pointer in a struct, pointers kept as integers. */
#include "check.h"
#include <stddef.h>

struct span {
  const double *begin, *end;
};

static NOINLINE double sum(struct span s) {
  double total = 0;
  for (const double *p = s.begin; p != s.end; ++p) total += *p * *p * (p - s.begin + 1);
  return total;
}

static double walk(const double *x, int n) {
  double t[8];
  double *top = t;
  for (const double *p = x; p < x + n; p++) *top++ = *p * x[n - 1 - (p - x)];
  double s = 0;
  while (top > t) s = s * 0.5 + *--top;
  struct span a = {x, x + n / 2}, b = {x + n / 2, x + n};
  s += sum(a) * sum(b);
  ptrdiff_t where = (t + 3) - t;
  uintptr_t bits = (uintptr_t)(t + where);
  double *again = (double *)bits;
  s += again[0] * again[-1];
  if (again > t && again - t == 3) s *= x[0];
  return s;
}

static double objective(const double *x) { return walk(x, 6); }
static void gradient(const double *x, double *g) { __enzyme_autodiff((void *)walk, x, g, 6); }
static double tangent(const double *x, const double *v) { return __enzyme_fwddiff((void *)walk, enzyme_dup, x, v, 6); }

int main(void) {
  double x[6] = {0.6, -0.45, 0.8, 0.5, 0.3, 1.1};
  CHECK(objective, gradient, tangent, x);
  return check_done();
}
