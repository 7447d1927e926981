/* A scalar objective and its reverse-mode derivative by Enzyme. */
#include <string.h>

#include "enzyme.hpp"
#include "primal.cpp"

extern "C" void adbench_derivative(struct problem *p) {
    memset(p->dx, 0, sizeof(double) * (size_t)PARAMETERS(p));
    __enzyme_autodiff((void *)objective<double>, enzyme_dup, p->x, p->dx, ARGUMENTS(p, ADBENCH_CONSTANT));
}
