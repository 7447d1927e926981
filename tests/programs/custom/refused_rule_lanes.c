// refused: the registered derivative of 'f' is for one direction, not 2
// reference: none (it is not compiled)
#include "check.h"
extern int enzyme_width;
struct two { double a, b; };
struct two __enzyme_fwddiff_two(void *, ...);
static void f(double *p) { *p *= *p; }
static void df(double *p, double *dp) { *dp *= 2 * *p; *p *= *p; }
void *__enzyme_register_derivative_f[] = {(void *)f, (void *)df};
static double g(double x) { f(&x); return x; }
int main(void) { return __enzyme_fwddiff_two((void *)g, enzyme_width, 2, 3.0, 1.0, 2.0).a > 0; }
