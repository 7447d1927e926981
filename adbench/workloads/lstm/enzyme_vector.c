/* The objective and its gradient by Enzyme's forward mode in lanes, LANES partial derivatives at a time. */
#include <string.h>

#include "../../native/lanes.h"
#include "primal.c"

void adbench_derivative(struct lstm_problem *p) {
    const size_t extra = 8 * (size_t)p->l * (size_t)p->b, size = extra + 3 * (size_t)p->b;
    double *seeds = (double *)malloc(sizeof(double) * LANES * size);
    memset(seeds, 0, sizeof(double) * LANES * size);
    for (size_t first = 0; first < size; first += LANES) {
        const size_t count = size - first < LANES ? size - first : LANES;
        for (size_t i = 0; i < count; i++) {
            seeds[i * size + first + i] = 1.0;
        }
        struct lanes slopes = __enzyme_fwddiff_lanes(
            (void *)lstm_objective, enzyme_width, LANES, enzyme_const, p->l, enzyme_const, p->c, enzyme_const, p->b,
            enzyme_dupv, sizeof(double) * size, p->main_params, seeds, enzyme_dupv, sizeof(double) * size,
            p->extra_params, seeds + extra, enzyme_const, p->state, enzyme_const, p->sequence);
        for (size_t i = 0; i < count; i++) {
            const size_t at = first + i;
            *(at < extra ? &p->dmain_params[at] : &p->dextra_params[at - extra]) = slopes.each[i];
            seeds[i * size + at] = 0.0;
        }
    }
    free(seeds);
}
