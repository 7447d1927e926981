/* The discrete adjoint of the Runge-Kutta method with the chain's transposed Jacobian. */
#include <string.h>

#include "../../native/scalar/primal.cpp"

struct chain_pull {
    int n;
    const double *x;
    double *dx;

    void operator()(const double *__restrict y, const double *__restrict a, double *__restrict u) {
        const double *__restrict rates = x;
        double *__restrict by_rates = dx;
        by_rates[0] += a[0];
        for (int i = 1; i < n; i++) {
            by_rates[i] += a[i] * y[i - 1];
            u[i - 1] = a[i] * rates[i];
        }
        u[n - 1] = 0.0;
    }
};

extern "C" void adbench_derivative(struct problem *p) {
    const int n = p->n;
    const long count = (4L * p->s + 1) * n;
    const double h = ODE_END / p->s;
    double *stages = scratch<double>(count), *adjoint = scratch<double>(n);
    memset(stages, 0, sizeof(double) * (size_t)n);
    memset(adjoint, 0, sizeof(double) * (size_t)n);
    memset(p->dx, 0, sizeof(double) * (size_t)n);
    adjoint[n - 1] = 1.0;
    chain<double> system{n, p->x};
    runge_kutta_stages(system, n, p->s, h, stages);
    chain_pull pull{n, p->x, p->dx};
    runge_kutta_adjoint(pull, n, p->s, h, stages, adjoint);
    *p->value = stages[count - 1];
    release(stages, count);
    release(adjoint, n);
}
