/* The discrete adjoint of the Runge-Kutta method with the chain's transposed Jacobian. */
#include "../../native/scalar/primal.cpp"

struct chain_pull {
    int n;
    const double *x;
    double *dx;

    void operator()(double, const double *y, const double *a, double *u) {
        dx[0] += a[0];
        for (int i = 1; i < n; i++) {
            dx[i] += a[i] * y[i - 1];
            u[i - 1] = a[i] * x[i];
        }
        u[n - 1] = 0.0;
    }
};

extern "C" void adbench_derivative(struct problem *p) {
    const int n = p->n;
    const long count = (p->s + 1L) * n;
    const double h = ODE_END / p->s;
    double *states = scratch<double>(count), *adjoint = scratch<double>(n);
    memset(states, 0, sizeof(double) * (size_t)n);
    memset(adjoint, 0, sizeof(double) * (size_t)n);
    memset(p->dx, 0, sizeof(double) * (size_t)n);
    adjoint[n - 1] = 1.0;
    chain<double> system{n, p->x};
    runge_kutta_states(system, n, p->s, h, states);
    chain_pull pull{n, p->x, p->dx};
    runge_kutta_adjoint(system, pull, n, p->s, h, states, adjoint);
    *p->value = states[(long)p->s * n + n - 1];
    release(states, count);
    release(adjoint, n);
}
