// refused: expected (__enzyme_register_derivative_f): double, or struct {double value; double derivative}  (double a, double da, int n)
// reference: none (it is not compiled)
#include "check.h"
static double f(double a, int n) { return a * n; }
static double df(double a, int n, double da) { return da * n; }
void *__enzyme_register_derivative_f[] = {(void *)f, (void *)df};
int main(void) { return __enzyme_fwddiff((void *)f, 2.0, 1.0, 3) > 0; }
