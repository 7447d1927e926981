// refused: expected (__enzyme_register_gradient_f): struct {double; double}  (double a, double b, double seed[, tape])
// reference: none (it is not compiled)
#include "check.h"
static double f(double a, double b) { return a * b; }
static double up(double a, double b) { return a * b; }
static double back(double a, double b, double seed) { return seed * b; }
void *__enzyme_register_gradient_f[] = {(void *)f, (void *)up, (void *)back};
static double g(double x) { return f(x, x); }
int main(void) { return __enzyme_autodiff((void *)g, 2.0) > 0; }
