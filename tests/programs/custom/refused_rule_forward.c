// refused: the function writes memory, so its value must come from the one call of the derivative
// reference: none (it is not compiled)
#include "check.h"
static double f(double *p) { *p *= 2; return *p; }
static double df(double *p, double *dp) { *p *= 2; *dp *= 2; return *dp; }
void *__enzyme_register_derivative_f[] = {(void *)f, (void *)df};
static double g(double x) { return f(&x) * x; }
int main(void) { return __enzyme_fwddiff((void *)g, 2.0, 1.0) > 0; }
