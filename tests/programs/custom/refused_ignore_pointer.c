// refused: must take one number and return it
// reference: none (it is not compiled)
#include "check.h"
double *__enzyme_ignore_derivatives(double *);
static double f(double x) { return *__enzyme_ignore_derivatives(&x) * x; }
int main(void) { return __enzyme_autodiff((void *)f, 2.0) > 0; }
