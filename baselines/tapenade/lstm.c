/* The gradient of LSTM's objective by Tapenade's reverse mode.
 *
 * tapenade: -reverse -head "lstm_objective(lstm_objective)/(main_params extra_params)"
 */
#include <string.h>

#include "primal.c"

void lstm_objective_b(int l, int c, int b, const double *main_params, double *main_paramsb, const double *extra_params,
                      double *extra_paramsb, const double *start, const double *sequence, double lstm_objectiveb);

void adbench_derivative(struct lstm_problem *p) {
    memset(p->dmain_params, 0, sizeof(double) * 8 * (size_t)p->l * (size_t)p->b);
    memset(p->dextra_params, 0, sizeof(double) * 3 * (size_t)p->b);
    lstm_objective_b(p->l, p->c, p->b, p->main_params, p->dmain_params, p->extra_params, p->dextra_params, p->state,
                     p->sequence, 1.0);
}
