/* The gradient is the transform's conjugate transpose of weights . X / n: conj(F(conj(weights . X))) / n. */
#include "../../native/scalar/primal.cpp"

extern "C" void adbench_derivative(struct problem *p) {
    const long n = p->n;
    double *out = scratch<double>(2 * n), result = 0.0;
    fft(p->n, p->recursive, p->x, out, p->twiddles);
    for (long k = 0; k < n; k++) {
        double scale = p->weights[k] / n;
        result += scale * (out[2 * k] * out[2 * k] + out[2 * k + 1] * out[2 * k + 1]);
        out[2 * k] *= scale;
        out[2 * k + 1] *= -scale;
    }
    fft(p->n, p->recursive, out, p->dx, p->twiddles);
    for (long k = 0; k < n; k++) {
        p->dx[2 * k + 1] = -p->dx[2 * k + 1];
    }
    *p->value = 0.5 * result;
    release(out, 2 * n);
}
