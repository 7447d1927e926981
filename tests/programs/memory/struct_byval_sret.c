/* Large structs by value (byval) and as results (sret), with arrays and pointers in them, through nested calls. */
#include "check.h"

struct big {
  double m[2][3];
  int rows;
  const double *source;
  float w;
};

static NOINLINE struct big make(const double *x, int rows) {
  struct big b = {{{0}}, rows, x, 0.5f};
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 3; j++) b.m[i][j] = x[(i + j) % 4] * (i + 1);
  return b;
}
static NOINLINE double norm(struct big b) {
  double s = 0;
  b.m[0][0] *= 2; /* its own copy */
  for (int i = 0; i < b.rows; i++)
    for (int j = 0; j < 3; j++) s += b.m[i][j] * b.m[i][j] * b.source[j];
  return s * b.w;
}
static NOINLINE struct big scale(struct big b, double by) {
  for (int i = 0; i < b.rows; i++)
    for (int j = 0; j < 3; j++) b.m[i][j] *= by;
  b.source++;
  return b;
}
static NOINLINE struct big twice(struct big b, double by) { return scale(scale(b, by), by * by); }

static double chain(const double *x) {
  struct big b = make(x, 2), c;
  double s = norm(b);
  c = twice(b, x[1]);
  c.source -= 1;
  s += norm(c) + norm(b);
  c = scale(make(x, 1), s);
  struct big all[2] = {b, c};
  all[1] = twice(all[0], 0.5);
  all[1].source -= 2;
  return s * norm(scale(all[1], x[3])) + norm(c);
}

static void gradient(const double *x, double *g) { __enzyme_autodiff((void *)chain, x, g); }
static double tangent(const double *x, const double *v) { return __enzyme_fwddiff((void *)chain, enzyme_dup, x, v); }

int main(void) {
  double x[4] = {0.6, -0.45, 0.8, 0.5};
  CHECK(chain, gradient, tangent, x);
  return check_done();
}
