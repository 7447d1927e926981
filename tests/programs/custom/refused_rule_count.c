// refused: expected: __enzyme_register_gradient_f[] = {(void *)the_function, (void *)augmented_primal, (void *)reverse}
// reference: none (it is not compiled)
#include "check.h"
static double f(double x) { return x * x; }
static double up(double x) { return x * x; }
void *__enzyme_register_gradient_f[] = {(void *)f, (void *)up};
int main(void) { return __enzyme_autodiff((void *)f, 2.0) > 0; }
