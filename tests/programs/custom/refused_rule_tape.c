// refused: the augmented primal 'up' returns T *
// reference: none (it is not compiled)
#include "check.h"
struct made { void *tape; double value; };
static double f(double a) { return a * a; }
static struct made up(double a) { return (struct made){0, a * a}; }
static double back(double a, double seed) { return 2 * seed * a; }
void *__enzyme_register_gradient_f[] = {(void *)f, (void *)up, (void *)back};
static double g(double x) { return f(x) * x; }
int main(void) { return __enzyme_autodiff((void *)g, 2.0) > 0; }
