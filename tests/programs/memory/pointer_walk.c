/* Pointers that move: begin to end, backwards, two at once, a cursor advanced by a helper, post-increment writes. */
#include "check.h"

static double next_value(const double **cursor) { return *(*cursor)++; }

static double walk(const double *begin, const double *end, double *out) {
  double s = 0;
  for (const double *p = begin; p != end; ++p) s += *p * *p;
  for (const double *p = end; p-- > begin;) s = s * 0.9 + sin(*p);
  double *o = out;
  const double *p = begin, *q = end;
  while (p < q) {
    *o++ = *p++ * *--q;
    *o = s;
  }
  const double *cursor = begin;
  for (int i = 0; i < 3; i++) s += next_value(&cursor) * (i + 1) * s * 0.1;
  return s + out[0] * out[1];
}

static double objective(const double *x) {
  double out[4], s = walk(x, x + 6, out);
  for (int i = 0; i < 4; i++) s += out[i] * (i + 1);
  return s;
}
static double tangent(const double *x, const double *v) {
  double out[4], d[4], s = __enzyme_fwddiff((void *)walk, enzyme_dup, x, v, enzyme_dup, x + 6, v + 6, enzyme_dup, out, d);
  for (int i = 0; i < 4; i++) s += d[i] * (i + 1);
  return s;
}
static void gradient(const double *x, double *g) {
  double out[4], seed[4] = {1, 2, 3, 4};
  __enzyme_autodiff((void *)walk, enzyme_dup, x, g, enzyme_dup, x + 6, g + 6, enzyme_dup, out, seed);
}

int main(void) {
  double x[6] = {0.6, -0.45, 0.8, 0.5, -1.2, 0.3};
  CHECK(objective, gradient, tangent, x);
  return check_done();
}
