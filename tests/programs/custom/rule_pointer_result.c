/* A function that returns a pointer: the augmented primal returns the tape, the pointer and its shadow. */
#include "check.h"

static NOINLINE double *squares(const double *x, int n) {
  double *y = malloc(n * sizeof(double));
  for (int i = 0; i < n; i++) y[i] = x[i] * x[i];
  return y;
}
#ifndef REFERENCE
struct made { double *tape, *value, *shadow; };
static struct made squares_up(const double *x, double *dx, int n) {
  double *shadow = calloc(n, sizeof(double));
  return (struct made){shadow, squares(x, n), shadow};
}
static void squares_back(const double *x, double *dx, int n, double *tape) {
  for (int i = 0; i < n; i++) dx[i] += 2 * x[i] * tape[i];
}
struct two { double *value, *shadow; };
static struct two squares_forward(const double *x, const double *dx, int n) {
  struct two y = {squares(x, n), malloc(n * sizeof(double))};
  for (int i = 0; i < n; i++) y.shadow[i] = 2 * x[i] * dx[i];
  return y;
}
void *__enzyme_register_gradient_squares[] = {(void *)squares, (void *)squares_up, (void *)squares_back};
void *__enzyme_register_derivative_squares[] = {(void *)squares, (void *)squares_forward};
#endif

static double f(const double *x, int n) {
  double *y = squares(x, n), s = 0;
  for (int i = 0; i < n; i++) s += y[i] * (i + 1) * x[0];
  free(y);
  return s;
}

static double objective(const double *x) { return f(x, 4); }
static void reverse(const double *x, double *g) { __enzyme_autodiff((void *)f, x, g, 4); }
static double forward(const double *x, const double *v) { return __enzyme_fwddiff((void *)f, x, v, 4); }

int main(void) {
  double x[4] = {0.5, -1, 2, 0.25};
  CHECK(objective, reverse, forward, x);
  return check_done();
}
