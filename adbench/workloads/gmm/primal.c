/* Entry points of the objective alone, for tools that need nothing but its values. */
#include "gmm.c"
#include "gmm_problem.h"

int adbench_problem_bytes(void) { return (int)sizeof(struct gmm_problem); }

void adbench_primal(struct gmm_problem *p) {
    *p->err = gmm_objective(p->d, p->k, p->n, p->alphas, p->means, p->icf, p->x, p->gamma, p->m);
}
