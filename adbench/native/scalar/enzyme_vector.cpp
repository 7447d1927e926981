/* A scalar objective and its gradient by Enzyme's forward mode in lanes, LANES partial derivatives at a time. */
#include <string.h>

#include "../lanes.h"
#include "enzyme.hpp"
#include "primal.cpp"
#include "scratch.hpp"

extern "C" void adbench_derivative(struct problem *p) {
    const long n = PARAMETERS(p);
    double *seeds = scratch<double>(LANES * n);
    memset(seeds, 0, sizeof(double) * LANES * (size_t)n);
    for (long first = 0; first < n; first += LANES) {
        const long count = n - first < LANES ? n - first : LANES;
        for (long i = 0; i < count; i++) {
            seeds[i * n + first + i] = 1.0;
        }
        lanes slopes = __enzyme_fwddiff_lanes((void *)objective<double>, enzyme_width, LANES, enzyme_dupv,
                                              sizeof(double) * (size_t)n, p->x, seeds, ARGUMENTS(p, ADBENCH_CONSTANT));
        for (long i = 0; i < count; i++) {
            p->dx[first + i] = slopes.each[i];
            seeds[i * n + first + i] = 0.0;
        }
    }
    release(seeds, LANES * n);
}
