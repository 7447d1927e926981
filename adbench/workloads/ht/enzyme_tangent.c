/* The objective and its forward-mode derivative by Enzyme, in the direction (ttheta, tus). */
#include "primal.c"

extern int enzyme_const, enzyme_dup;
void __enzyme_fwddiff(void *, ...);

void adbench_tangent(struct ht_problem *p) {
    struct ht_model model = ht_model_of(p);
    struct ht_data data = ht_data_of(p);
    __enzyme_fwddiff((void *)ht_objective, enzyme_const, &model, enzyme_const, &data, enzyme_dup, p->theta, p->ttheta,
                     enzyme_dup, p->theta + HT_HAND, p->ttheta + HT_HAND, enzyme_dup, p->us, p->tus, enzyme_dup, p->err,
                     p->derr);
}
