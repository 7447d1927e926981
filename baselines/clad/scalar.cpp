/* The gradient of a scalar objective by Clad. */
#include <string.h>

#include "clad/Differentiator/Differentiator.h"

#include "primal.cpp"

extern "C" void adbench_derivative(struct problem *p) {
    memset(p->dx, 0, sizeof(double) * (size_t)PARAMETERS(p));
    auto gradient = clad::gradient(objective<double>, "x");
    gradient.execute(p->x, ARGUMENTS(p, ADBENCH_PLAIN), p->dx);
}
