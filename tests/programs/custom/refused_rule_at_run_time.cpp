// refused: it is filled when the program runs, or not at all
// reference: none (it is not compiled)
#include "check.h"
template <typename T> T __enzyme_autodiff(void *, ...);
static double f(double x) { return x * x; }
static double up(double x) { return x * x; }
static double back(double x, double seed) { return seed; }
static void *choose(void *p) { return getenv("OTHER") ? (void *)f : p; }
void *__enzyme_register_gradient_f[3] = {(void *)f, (void *)up, choose((void *)back)};
int main() { return __enzyme_autodiff<double>((void *)f, 2.0) > 0; }
