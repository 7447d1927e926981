// refused: there is no rule for a function 'logarithm' of type double (double)
// reference: none (it is not compiled)
#include "check.h"
static double f(double a) { return log(a); }
void *__enzyme_function_like_f[] = {(void *)f, "logarithm"};
int main(void) { return __enzyme_fwddiff((void *)f, 2.0, 1.0) > 0; }
