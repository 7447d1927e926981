/* The objective and its forward-mode derivative by Enzyme, in the direction (tcams, tX, tw). */
#include "primal.c"

extern int enzyme_const, enzyme_dup;
void __enzyme_fwddiff(void *, ...);

void adbench_tangent(struct ba_problem *p) {
    __enzyme_fwddiff((void *)ba_objective, enzyme_const, p->p, enzyme_dup, p->cams, p->tcams, enzyme_dup, p->X, p->tX,
                     enzyme_dup, p->w, p->tw, enzyme_const, p->obs, enzyme_const, p->feats, enzyme_dup, p->err,
                     p->derr);
}
