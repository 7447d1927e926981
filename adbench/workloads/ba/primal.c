/* Entry points of the objective alone, for tools that need nothing but its values. */
#include "ba.c"
#include "ba_problem.h"

int adbench_problem_bytes(void) { return (int)sizeof(struct ba_problem); }

void adbench_primal(struct ba_problem *p) { ba_objective(p->p, p->cams, p->X, p->w, p->obs, p->feats, p->err); }
