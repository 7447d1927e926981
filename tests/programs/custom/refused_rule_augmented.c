// refused: expected (__enzyme_register_gradient_f): double, or struct {tape; double}  (T *x, T *dx, int n)
// reference: none (it is not compiled)
#include "check.h"
static double f(const double *x, int n) { return x[n]; }
static double up(const double *x, int n) { return x[n]; }
static void back(const double *x, double *dx, int n, double seed) { dx[n] += seed; }
void *__enzyme_register_gradient_f[] = {(void *)f, (void *)up, (void *)back};
int main(void) { double x[2] = {1, 2}, dx[2] = {0}; __enzyme_autodiff((void *)f, x, dx, 1); return 0; }
