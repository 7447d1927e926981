/* Second order, and two lanes, over words that are numbers at some times and pointers at others. */
#include "check.h"
union word { double d; const double *p; };
struct cell { long kind; union word w; };
static NOINLINE void rotate(struct cell *c, int n) { struct cell t; memcpy(&t, c, sizeof t); memmove(c, c + 1, (n - 1) * sizeof t); memcpy(c + n - 1, &t, sizeof t); }
static double g(const double *x) {
  struct cell c[4] = {{1, {.p = x}}, {0, {.d = x[0] * x[2]}}, {1, {.p = x + 1}}, {0, {.d = x[1]}}};
  double s = 1;
  for (int k = 0; k < 3; k++) { rotate(c, 4); for (int i = 0; i < 4; i++) s = s * 0.5 + (c[i].kind ? c[i].w.p[0] * c[i].w.p[1] : c[i].w.d * c[i].w.d) * (1 + 0.1 * s); }
  return s;
}
static void grad(const double *x, double *out) { for (int i = 0; i < 3; i++) out[i] = 0; GRADIENT_OF(g, x, out, 3); }
static double f(const double *x) { double out[3]; grad(x, out); return out[0] * 1.5 + out[1] * out[2]; }
DERIVED(f)
struct two { double a, b; };
struct two __enzyme_fwddiff_two(void *, ...);
extern int enzyme_width;
int main(void) {
  const double x[] = {0.7, -1.1, 1.9};
  CHECK_DERIVED(f, x);
#ifndef REFERENCE
  double v[3] = {1, 0, 0}, w[3] = {0, 0.5, 1}, gr[3];
  grad(x, gr);
  struct two t = __enzyme_fwddiff_two((void *)g, enzyme_width, 2, enzyme_dup, x, v, w);
  check_close("lane", 0, t.a, gr[0], 1e-9);
  check_close("lane", 1, t.b, 0.5 * gr[1] + gr[2], 1e-9);
#endif
  return check_done();
}
