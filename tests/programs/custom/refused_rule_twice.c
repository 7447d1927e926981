// refused: registers a second derivative of 'f'
// reference: none (it is not compiled)
#include "check.h"
static double f(double a) { return a; }
static double df(double a, double da) { return da; }
static double df2(double a, double da) { return 2 * da; }
void *__enzyme_register_derivative_a[] = {(void *)f, (void *)df};
void *__enzyme_register_derivative_b[] = {(void *)f, (void *)df2};
int main(void) { return __enzyme_fwddiff((void *)f, 2.0, 1.0) > 0; }
