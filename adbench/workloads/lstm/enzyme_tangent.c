/* The objective and its forward-mode derivative by Enzyme, in the direction (tmain_params, textra_params). */
#include "primal.c"

extern int enzyme_const, enzyme_dup;
double __enzyme_fwddiff(void *, ...);

void adbench_tangent(struct lstm_problem *p) {
    *p->dloss = __enzyme_fwddiff((void *)lstm_objective, enzyme_const, p->l, enzyme_const, p->c, enzyme_const, p->b,
                                 enzyme_dup, p->main_params, p->tmain_params, enzyme_dup, p->extra_params,
                                 p->textra_params, enzyme_const, p->state, enzyme_const, p->sequence);
}
