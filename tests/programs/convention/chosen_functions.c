/* The function is chosen when the program runs: tables, conditions, members, with shadows and in split mode. */
#include "check.h"
extern void *__enzyme_augmentfwd(void *, ...);
extern double __enzyme_reverse(void *, ...);
static double square(double x) { return x * x; }
static double cube(double x) { return x * x * x; }
static double wave(double x) { return sin(x); }
static double norm(const double *x, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) s += x[i] * x[i];
  return s;
}
static double product(const double *x, int n) {
  double s = 1;
  for (int i = 0; i < n; i++) s *= x[i];
  return s;
}
static double assembly(double x) { /* has no derivative, which matters only where it is asked for */
  double y;
  __asm__("" : "=x"(y) : "0"(x));
  return y;
}
typedef double (*number_fn)(double);
static number_fn table[4] = {square, cube, wave, assembly};
struct solver {
  double (*objective)(const double *, int);
  double rate;
};
static NOINLINE void step(const struct solver *s, double *x, int n) {
  double g[8] = {0};
  __enzyme_autodiff((void *)s->objective, enzyme_dup, x, g, enzyme_const, n);
  for (int i = 0; i < n; i++) x[i] -= s->rate * g[i];
}
static NOINLINE double slope(number_fn f, double x) { return __enzyme_fwddiff((void *)f, x, 1.0); }
static NOINLINE double halves(number_fn f, double x) {
  void *tape = __enzyme_augmentfwd((void *)f, x);
  return __enzyme_reverse((void *)f, x, 2.0, tape);
}

static void check_all(void) {
  double expected[3] = {4, 12, cos(2)};
  for (int i = 0; i < 3; i++) {
    check_value("table", __enzyme_autodiff((void *)table[i], 2.0), expected[i], 1e-14);
    check_value("slope", slope(table[i], 2), expected[i], 1e-14);
    check_value("halves", halves(table[i], 2), 2 * expected[i], 1e-14);
  }
  for (int n = 0; n < 2; n++)
    check_value("condition", __enzyme_autodiff(n ? (void *)square : (void *)cube, 2.0), n ? 4 : 12, 1e-14);
  struct solver s = {norm, 0.1}, t = {product, 1};
  double x[3] = {1, 2, 3}, y[3] = {1, 2, 3};
  step(&s, x, 3);
  step(&t, y, 3);
  check_value("member", x[2], 3 - 0.6, 1e-14);
  check_value("member", y[0], 1 - 6, 1e-14);
}

int main(void) {
  CHECK_ENGINE(check_all());
  return check_done();
}
