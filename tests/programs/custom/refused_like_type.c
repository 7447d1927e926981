// refused: there is no rule for a function 'sin' of type double (double, double)
// reference: none (it is not compiled)
#include "check.h"
static double f(double a, double b) { return sin(a * b); }
void *__enzyme_function_like_f[] = {(void *)f, "sin"};
int main(void) { return __enzyme_fwddiff((void *)f, 2.0, 1.0, 1.0, 1.0) > 0; }
