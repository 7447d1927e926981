/* The Newton direction: forward mode along ones over reverse mode gives the gradient and the diagonal of the Hessian. */
#include <string.h>

#include "../../native/scalar/enzyme.hpp"
#include "../../native/scalar/primal.cpp"

static void gradient(const double *x, double *dx, const struct problem *p) {
    __enzyme_autodiff((void *)objective<double>, enzyme_dup, x, dx, ARGUMENTS(p, ADBENCH_CONSTANT));
}

extern "C" void adbench_derivative(struct problem *p) {
    const long size = PARAMETERS(p);
    double *ones = scratch<double>(size), *diagonal = scratch<double>(size);
    for (long i = 0; i < size; i++) {
        ones[i] = 1.0;
        p->dx[i] = diagonal[i] = 0.0;
    }
    __enzyme_fwddiff((void *)gradient, enzyme_dup, p->x, ones, enzyme_dup, p->dx, diagonal, enzyme_const, p);
    for (long i = 0; i < size; i++) {
        p->dx[i] /= diagonal[i];
    }
    release(ones, size);
    release(diagonal, size);
}
