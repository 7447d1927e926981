/* The objective and its reverse-mode derivative by Enzyme. */
#include <string.h>

#include "primal.c"

extern int enzyme_const, enzyme_dup;
double __enzyme_autodiff(void *, ...);

void adbench_derivative(struct gmm_problem *p) {
    size_t d = (size_t)p->d, k = (size_t)p->k;
    memset(p->dalphas, 0, sizeof(double) * k);
    memset(p->dmeans, 0, sizeof(double) * k * d);
    memset(p->dicf, 0, sizeof(double) * k * (d * (d + 1) / 2));
    __enzyme_autodiff((void *)gmm_objective, enzyme_const, p->d, enzyme_const, p->k, enzyme_const, p->n, enzyme_dup,
                      p->alphas, p->dalphas, enzyme_dup, p->means, p->dmeans, enzyme_dup, p->icf, p->dicf,
                      enzyme_const, p->x, enzyme_const, p->gamma, enzyme_const, p->m);
}
