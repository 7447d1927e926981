/* The objective and its forward-mode derivative by Enzyme, in the direction (talphas, tmeans, ticf). */
#include "primal.c"

extern int enzyme_const, enzyme_dup;
double __enzyme_fwddiff(void *, ...);

void adbench_tangent(struct gmm_problem *p) {
    *p->derr = __enzyme_fwddiff((void *)gmm_objective, enzyme_const, p->d, enzyme_const, p->k, enzyme_const, p->n,
                                enzyme_dup, p->alphas, p->talphas, enzyme_dup, p->means, p->tmeans, enzyme_dup, p->icf,
                                p->ticf, enzyme_const, p->x, enzyme_const, p->gamma, enzyme_const, p->m);
}
