/* The gradient of GMM's objective by Clad. */
#include <string.h>

#include "clad/Differentiator/Differentiator.h"

#define ADBENCH_DOUBLE
#include "gmm.c"

extern "C" {
#include "primal.c"
}

extern "C" void adbench_derivative(struct gmm_problem *p) {
    size_t d = (size_t)p->d, k = (size_t)p->k;
    memset(p->dalphas, 0, sizeof(double) * k);
    memset(p->dmeans, 0, sizeof(double) * k * d);
    memset(p->dicf, 0, sizeof(double) * k * (d * (d + 1) / 2));
    auto gradient = clad::gradient(gmm_objective, "alphas, means, icf");
    gradient.execute(p->d, p->k, p->n, p->alphas, p->means, p->icf, p->x, p->gamma, p->m, p->dalphas, p->dmeans, p->dicf);
}
