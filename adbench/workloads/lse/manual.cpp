/* The gradient of logsumexp is softmax; the shares of the largest element cancel. */
#include "../../native/scalar/primal.cpp"

extern "C" void adbench_derivative(struct problem *p) {
    const int n = p->n;
    double largest = p->x[0], sum = 0.0;
    for (int i = 1; i < n; i++) {
        if (largest < p->x[i]) largest = p->x[i];
    }
    for (int i = 0; i < n; i++) {
        p->dx[i] = exp(p->x[i] - largest);
        sum += p->dx[i];
    }
    double scale = 1.0 / sum;
    for (int i = 0; i < n; i++) {
        p->dx[i] *= scale;
    }
    *p->value = log(sum) + largest;
}
