/* A scalar objective and its forward-mode derivative by Enzyme, in the direction tx. */
#include "enzyme.hpp"
#include "primal.cpp"

extern "C" void adbench_tangent(struct problem *p) {
    *p->dvalue =
        __enzyme_fwddiff((void *)objective<double>, enzyme_dup, p->x, p->tx, ARGUMENTS(p, ADBENCH_CONSTANT));
}
