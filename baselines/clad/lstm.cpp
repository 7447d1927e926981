/* The gradient of LSTM's objective by Clad. */
#include <string.h>

#include "clad/Differentiator/Differentiator.h"

#define ADBENCH_DOUBLE
#include "lstm.c"

extern "C" {
#include "primal.c"
}

extern "C" void adbench_derivative(struct lstm_problem *p) {
    memset(p->dmain_params, 0, sizeof(double) * 8 * (size_t)p->l * (size_t)p->b);
    memset(p->dextra_params, 0, sizeof(double) * 3 * (size_t)p->b);
    auto gradient = clad::gradient(lstm_objective, "main_params, extra_params");
    gradient.execute(p->l, p->c, p->b, p->main_params, p->extra_params, p->state, p->sequence, p->dmain_params,
                     p->dextra_params);
}
