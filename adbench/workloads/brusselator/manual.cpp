/* The discrete adjoint of the Runge-Kutta method with the Brusselator's transposed Jacobian. */
#include <string.h>

#include "../../native/scalar/primal.cpp"

struct brusselator_pull {
    int n;
    const double *rates;
    double *drates;

    void operator()(const double *__restrict state, const double *__restrict adjoint, double *__restrict pulled) {
        const double A = rates[0], scale = (double)(n * n), alpha = rates[2] * scale;
        const double *u = state, *v = state + n * n, *du = adjoint, *dv = adjoint + n * n;
        double by_A = 0.0, by_B = 0.0, by_alpha = 0.0;
        for (int i = 0; i < n; i++) {
            int above = (i == 0 ? n - 1 : i - 1) * n, here = i * n, below = (i == n - 1 ? 0 : i + 1) * n;
            for (int j = 0; j < n; j++) {
                int left = j == 0 ? n - 1 : j - 1, right = j == n - 1 ? 0 : j + 1, k = here + j;
                double a = u[k], b = v[k], p = du[k], q = dv[k];
                /* The Laplacian is symmetric. */
                double lp = du[above + j] + du[below + j] + du[here + left] + du[here + right] - 4.0 * p;
                double lq = dv[above + j] + dv[below + j] + dv[here + left] + dv[here + right] - 4.0 * q;
                pulled[k] = 2.0 * a * b * (p - q) - (A + 1.0) * p + A * q + alpha * lp;
                pulled[n * n + k] = a * a * (p - q) + alpha * lq;
                by_A += a * (q - p);
                by_B += p;
                by_alpha += a * lp + b * lq;
            }
        }
        drates[0] += by_A;
        drates[1] += by_B;
        drates[2] += scale * by_alpha;
    }
};

extern "C" void adbench_derivative(struct problem *p) {
    const long size = 2L * p->n * p->n, count = (4L * p->steps + 1) * size;
    double *stages = scratch<double>(count), *adjoint = p->dx + 3, result = 0.0;
    memcpy(stages, p->x + 3, sizeof(double) * (size_t)size);
    brusselator<double> system{p->n, p->x};
    runge_kutta_stages(system, size, p->steps, p->h, stages);
    const double *last = stages + 4L * p->steps * size;
    for (long i = 0; i < size; i++) {
        result += last[i] * last[i];
        adjoint[i] = last[i] / size;
    }
    p->dx[0] = p->dx[1] = p->dx[2] = 0.0;
    brusselator_pull pull{p->n, p->x, p->dx};
    runge_kutta_adjoint(pull, size, p->steps, p->h, stages, adjoint);
    *p->value = 0.5 * result / size;
    release(stages, count);
}
