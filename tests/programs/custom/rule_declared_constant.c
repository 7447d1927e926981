// with: parts/declared_constant_library.c
/* A library's function with a rule, given constant memory by pointer beside active memory. */
#include "check.h"

extern double library_dot(const double *a, const double *b, int n);
extern void library_axpy(double *y, const double *x, double k, int n);
#ifndef REFERENCE
static double dot_up(const double *a, double *da, const double *b, double *db, int n) { return library_dot(a, b, n); }
static void dot_back(const double *a, double *da, const double *b, double *db, int n, double seed) {
  for (int i = 0; i < n; i++) {
    if (da) da[i] += seed * b[i];
    if (db) db[i] += seed * a[i];
  }
}
static double dot_forward(const double *a, const double *da, const double *b, const double *db, int n) {
  double t = 0;
  for (int i = 0; i < n; i++) t += (da ? da[i] * b[i] : 0) + (db ? db[i] * a[i] : 0);
  return t;
}
struct made { double value, tangent; };
static struct made dot_both(const double *a, const double *da, const double *b, const double *db, int n) {
  return (struct made){library_dot(a, b, n), dot_forward(a, da, b, db, n)};
}
static void axpy_up(double *y, double *dy, const double *x, double *dx, double k, int n) { library_axpy(y, x, k, n); }
static double axpy_back(double *y, double *dy, const double *x, double *dx, double k, int n) {
  double g = 0;
  for (int i = 0; i < n; i++) {
    g += dy[i] * x[i];
    if (dx) dx[i] += k * dy[i];
  }
  return g;
}
static void axpy_forward(double *y, double *dy, const double *x, const double *dx, double k, double dk, int n) {
  for (int i = 0; i < n; i++) dy[i] += dk * x[i] + (dx ? k * dx[i] : 0);
  library_axpy(y, x, k, n);
}
void *__enzyme_register_gradient_dot[] = {(void *)library_dot, (void *)dot_up, (void *)dot_back};
void *__enzyme_register_derivative_dot[] = {(void *)library_dot, (void *)dot_both};
void *__enzyme_register_gradient_axpy[] = {(void *)library_axpy, (void *)axpy_up, (void *)axpy_back};
void *__enzyme_register_derivative_axpy[] = {(void *)library_axpy, (void *)axpy_forward};
#endif

static double f(const double *x, const double *fixed, int n) {
  double y[3];
  for (int i = 0; i < n; i++) y[i] = x[i] * x[i];
  library_axpy(y, fixed, x[0], n);
  double s = library_dot(y, fixed, n) + library_dot(fixed, x, n);
  library_axpy(y, x, s, n);
  return s * library_dot(y, y, n);
}

static const double fixed[3] = {0.5, -1, 2};
static double objective(const double *x) { return f(x, fixed, 3); }
static void reverse(const double *x, double *g) {
  __enzyme_autodiff((void *)f, x, g, enzyme_const, fixed, 3);
}
static double forward(const double *x, const double *v) {
  return __enzyme_fwddiff((void *)f, x, v, enzyme_const, fixed, 3);
}

int main(void) {
  double x[3] = {0.7, -0.4, 1.1};
  CHECK(objective, reverse, forward, x);
  return check_done();
}
