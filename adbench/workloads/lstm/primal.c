/* Entry points of the objective alone, for tools that need nothing but its values. */
#include "lstm.c"
#include "lstm_problem.h"

int adbench_problem_bytes(void) { return (int)sizeof(struct lstm_problem); }

void adbench_primal(struct lstm_problem *p) {
    *p->loss = lstm_objective(p->l, p->c, p->b, p->main_params, p->extra_params, p->state, p->sequence);
}
