/* A struct of a number and a pointer that is read as a vector of two numbers, as optimisers do: the lane of the pointer
 * is passed on, scaled and shuffled, and never looked at as a number. */
#include "check.h"

typedef double two __attribute__((vector_size(16), aligned(8)));
typedef long bits __attribute__((vector_size(16)));
typedef float four __attribute__((vector_size(16), aligned(8)));

struct pair { double scale; const double *of; };
struct single { float scale, offset; const double *of; };
struct row { const double *of; double scale; };

static NOINLINE double scaled(const struct pair *p, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) {
    two both = *(const two *)&p[i];
    const double *of = (const double *)((bits)both)[1];
    two twice = both * 2.0 + 1.0;
    two swapped = __builtin_shufflevector(twice, both, 1, 2);
    sum += of[i] * of[0] * twice[0] + swapped[1];
  }
  return sum;
}

static NOINLINE double singles(const struct single *p) {
  four all = *(const four *)p;
  const double *of = (const double *)((bits)all)[1];
  four moved = all * all;
  return (double)moved[0] * of[1] + (double)all[1] * of[2];
}

static NOINLINE double behind(struct row *p) {
  two both = *(two *)p;
  const double *of = (const double *)((bits)both)[0];
  p->scale = both[1] * both[1];
  p->of = of + 1;
  return of[0] * both[1] * p->of[1];
}

static double f(const double *x) {
  struct pair pairs[3] = {{x[0] * x[1], x}, {x[2], x}, {sin(x[1]), x + 1}};
  struct single one = {(float)x[3], (float)x[0], x};
  struct row row = {x, x[2] * x[0]};
  double first = behind(&row);
  return scaled(pairs, 3) + singles(&one) + first + behind(&row) * row.scale;
}

static void f_reverse(const double *x, double *g) { __enzyme_autodiff((void *)f, enzyme_dup, x, g); }
static double f_forward(const double *x, const double *v) { return __enzyme_fwddiff((void *)f, enzyme_dup, x, v); }

int main(void) {
  const double x[] = {0.75, -1.125, 1.5, 0.625};
  CHECK_SINGLE(f, f_reverse, f_forward, x);
  return check_done();
}
