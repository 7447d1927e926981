/* The objective and its reverse-mode derivative by Enzyme. */
#include <string.h>

#include "primal.c"

extern int enzyme_const, enzyme_dup;
double __enzyme_autodiff(void *, ...);

void adbench_derivative(struct lstm_problem *p) {
    memset(p->dmain_params, 0, sizeof(double) * 8 * (size_t)p->l * (size_t)p->b);
    memset(p->dextra_params, 0, sizeof(double) * 3 * (size_t)p->b);
    __enzyme_autodiff((void *)lstm_objective, enzyme_const, p->l, enzyme_const, p->c, enzyme_const, p->b, enzyme_dup,
                      p->main_params, p->dmain_params, enzyme_dup, p->extra_params, p->dextra_params, enzyme_const,
                      p->state, enzyme_const, p->sequence);
}
