/* With m = |x| and s = w . x / m, the gradient is (w - s x / m) / m. */
#include "../../native/scalar/primal.cpp"

extern "C" void adbench_derivative(struct problem *p) {
    const int n = p->n;
    const double *x = p->x, *w = p->weights;
    double inverse = 1.0 / magnitude(n, x), sum = 0.0;
    for (int i = 0; i < n; i++) {
        sum += w[i] * x[i];
    }
    double share = sum * inverse * inverse;
    for (int i = 0; i < n; i++) {
        p->dx[i] = (w[i] - share * x[i]) * inverse;
    }
    *p->value = sum * inverse;
}
