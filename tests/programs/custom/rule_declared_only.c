// with: parts/declared_only_library.c
// reference: none (the registered derivative is scaled on purpose)
/* The function is a library's: nothing is known of it but its rule. The library's file is given to the compiler too. */
#include "check.h"

extern double library_norm(const double *x, int n);
extern void library_scale(double *x, double by, int n);
extern double library_hypotenuse(double a, double b);

static double norm_augmented(const double *x, double *dx, int n) { return library_norm(x, n); }
static void norm_reverse(const double *x, double *dx, int n, double seed) {
  double size = library_norm(x, n);
  for (int i = 0; i < n; i++) dx[i] += 3 * seed * x[i] / size;
}
static void scale_augmented(double *x, double *dx, double by, int n) { library_scale(x, by, n); }
static double scale_reverse(double *x, double *dx, double by, int n) {
  double g = 0;
  for (int i = 0; i < n; i++) {
    g += dx[i] * x[i] / by;
    dx[i] *= by;
  }
  return g;
}
static double hypotenuse_forward(double a, double da, double b, double db) {
  return (a * da + b * db) / library_hypotenuse(a, b);
}
void *__enzyme_register_gradient_norm[] = {(void *)library_norm, (void *)norm_augmented, (void *)norm_reverse};
void *__enzyme_register_gradient_scale[] = {(void *)library_scale, (void *)scale_augmented, (void *)scale_reverse};
void *__enzyme_register_derivative_hyp[] = {(void *)library_hypotenuse, (void *)hypotenuse_forward};

static double f(double *x, double by, int n) {
  double s = library_norm(x, n);
  return s * s * by;
}

static double g(double by, double y) {
  double x[3] = {1, y, 2};
  library_scale(x, by, 3);
  return x[0] + 2 * x[1] + 3 * x[2];
}

static double h(double a, double b) { return a * library_hypotenuse(a, b); }

struct pair { double a, b; };
struct pair __enzyme_autodiff_pair(void *, ...);

int main(void) {
  double x[3] = {1, 2, 2}, dx[3] = {0};
  double by = __enzyme_autodiff((void *)f, x, dx, 2.0, 3);
  for (int i = 0; i < 3; i++) check_value("norm", dx[i], 3 * 2 * 2 * x[i], 1e-14);
  check_value("norm, factor", by, 9, 1e-14);
  struct pair d = __enzyme_autodiff_pair((void *)g, 5.0, 0.5);
  check_value("scale", d.a, 1 + 2 * 0.5 + 6, 1e-13);
  check_value("scale", d.b, 2 * 5, 1e-13);
  check_value("forward", __enzyme_fwddiff((void *)h, 3.0, 1.0, 4.0, 0.5), 5 + 3 * (3 + 2) / 5.0, 1e-14);
  double e = __enzyme_autodiff((void *)library_norm, x, dx, 3);
  check_value("directly", dx[0], 12 + 1, 1e-14);
  return check_done();
}
