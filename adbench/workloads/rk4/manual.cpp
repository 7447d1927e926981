/* The discrete adjoint of the Runge-Kutta method with Lorenz's transposed Jacobian. */
#include "../../native/scalar/primal.cpp"

struct lorenz_pull {
    int n;
    double *dforcing;

    void operator()(double, const double *y, const double *a, double *u) {
        for (int i = 0; i < n; i++) {
            u[i] = -a[i];
            dforcing[i] += a[i];
        }
        for (int i = 0; i < n; i++) {
            int before = (i + n - 1) % n, far = (i + n - 2) % n, after = (i + 1) % n;
            u[after] += y[before] * a[i];
            u[far] -= y[before] * a[i];
            u[before] += (y[after] - y[far]) * a[i];
        }
    }
};

extern "C" void adbench_derivative(struct problem *p) {
    const int n = p->n;
    const long count = (p->steps + 1L) * n;
    double *states = scratch<double>(count), result = 0.0;
    memcpy(states, p->x, sizeof(double) * (size_t)n);
    lorenz<double> system{n, p->x + n};
    runge_kutta_states(system, n, p->steps, p->h, states);
    const double *last = states + (long)p->steps * n;
    for (int i = 0; i < n; i++) {
        result += last[i] * last[i];
        p->dx[i] = last[i] / n;
        p->dx[n + i] = 0.0;
    }
    lorenz_pull pull{n, p->dx + n};
    runge_kutta_adjoint(system, pull, n, p->steps, p->h, states, p->dx);
    *p->value = 0.5 * result / n;
    release(states, count);
}
