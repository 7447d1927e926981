/* Twice each number. */
#include "../../native/scalar/primal.cpp"

extern "C" void adbench_derivative(struct problem *p) {
    *p->value = objective(p->x, p->n);
    for (int i = 0; i < p->n; i++) {
        p->dx[i] = 2.0 * p->x[i];
    }
}
