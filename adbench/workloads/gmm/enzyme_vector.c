/* The objective and its gradient by Enzyme's forward mode in lanes, LANES partial derivatives at a time. */
#include <string.h>

#include "../../native/lanes.h"
#include "primal.c"

void adbench_derivative(struct gmm_problem *p) {
    const size_t d = (size_t)p->d, k = (size_t)p->k;
    const size_t means = k, icf = means + k * d, size = icf + k * (d * (d + 1) / 2);
    double *seeds = (double *)malloc(sizeof(double) * LANES * size);
    memset(seeds, 0, sizeof(double) * LANES * size);
    for (size_t first = 0; first < size; first += LANES) {
        const size_t count = size - first < LANES ? size - first : LANES;
        for (size_t i = 0; i < count; i++) {
            seeds[i * size + first + i] = 1.0;
        }
        struct lanes slopes = __enzyme_fwddiff_lanes(
            (void *)gmm_objective, enzyme_width, LANES, enzyme_const, p->d, enzyme_const, p->k, enzyme_const, p->n,
            enzyme_dupv, sizeof(double) * size, p->alphas, seeds, enzyme_dupv, sizeof(double) * size, p->means,
            seeds + means, enzyme_dupv, sizeof(double) * size, p->icf, seeds + icf, enzyme_const, p->x, enzyme_const,
            p->gamma, enzyme_const, p->m);
        for (size_t i = 0; i < count; i++) {
            const size_t at = first + i;
            double *out = at < means ? &p->dalphas[at] : at < icf ? &p->dmeans[at - means] : &p->dicf[at - icf];
            *out = slopes.each[i];
            seeds[i * size + at] = 0.0;
        }
    }
    free(seeds);
}
