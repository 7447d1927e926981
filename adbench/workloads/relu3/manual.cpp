/* The derivative of x^3 where x is positive. */
#include "../../native/scalar/primal.cpp"

extern "C" void adbench_derivative(struct problem *p) {
    double result = 0.0;
    for (int i = 0; i < p->n; i++) {
        double x = p->x[i] > 0.0 ? p->x[i] : 0.0, square = x * x;
        result += p->weights[i] * square * x;
        p->dx[i] = 3.0 * p->weights[i] * square;
    }
    *p->value = result;
}
