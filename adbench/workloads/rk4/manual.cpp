/* The discrete adjoint of the Runge-Kutta method with Lorenz's transposed Jacobian. */
#include <string.h>

#include "../../native/scalar/primal.cpp"

struct lorenz_pull {
    int n;
    double *dforcing;

    /* What y_i is in: the slopes of i - 1, i, i + 1 and i + 2. */
    void gather(int i, int far, int before, int after, int beyond, const double *__restrict y,
                const double *__restrict a, double *__restrict u) const {
        u[i] = y[far] * a[before] - a[i] + (y[beyond] - y[before]) * a[after] - y[after] * a[beyond];
    }

    void operator()(const double *__restrict y, const double *__restrict a, double *__restrict u) {
        double *__restrict forcing = dforcing;
        for (int i = 0; i < n; i++) {
            forcing[i] += a[i];
        }
        gather(0, n - 2, n - 1, 1, 2, y, a, u);
        gather(1, n - 1, 0, 2, 3, y, a, u);
        for (int i = 2; i < n - 2; i++) {
            gather(i, i - 2, i - 1, i + 1, i + 2, y, a, u);
        }
        gather(n - 2, n - 4, n - 3, n - 1, 0, y, a, u);
        gather(n - 1, n - 3, n - 2, 0, 1, y, a, u);
    }
};

extern "C" void adbench_derivative(struct problem *p) {
    const int n = p->n;
    const long count = (4L * p->steps + 1) * n;
    double *stages = scratch<double>(count), result = 0.0;
    memcpy(stages, p->x, sizeof(double) * (size_t)n);
    lorenz<double> system{n, p->x + n};
    runge_kutta_stages(system, n, p->steps, p->h, stages);
    const double *last = stages + 4L * p->steps * n;
    for (int i = 0; i < n; i++) {
        result += last[i] * last[i];
        p->dx[i] = last[i] / n;
        p->dx[n + i] = 0.0;
    }
    lorenz_pull pull{n, p->dx + n};
    runge_kutta_adjoint(pull, n, p->steps, p->h, stages, p->dx);
    *p->value = 0.5 * result / n;
    release(stages, count);
}
