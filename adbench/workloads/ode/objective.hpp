/* The last component at time 2 of y_0' = x_0, y_i' = x_i y_{i-1}, y(0) = 0, by s steps of the classical Runge-Kutta method.
 *
 * It is the problem ode of cmpad and of GradBench. */
#ifndef ADBENCH_ODE_HPP
#define ADBENCH_ODE_HPP

#include "../../native/scalar/runge_kutta.hpp"

#define ODE_END 2.0

struct problem {
    int n, s;
    const double *x;
    double *value, *dx;
    const double *tx;
    double *dvalue, *solution;
};

#define PARAMETERS(p) (p)->n
#define ARGUMENTS(p, mark) mark((p)->n), mark((p)->s)

template <class T> struct chain {
    int n;
    const T *x;

    void operator()(double, const T *__restrict y, T *__restrict dy) const {
        dy[0] = x[0];
        for (int i = 1; i < n; i++) {
            dy[i] = x[i] * y[i - 1];
        }
    }
};

/* The state at the end, into y. */
template <class T> void ode_solve(const T *__restrict x, int n, int s, T *__restrict y) {
    for (int i = 0; i < n; i++) {
        y[i] = 0.0;
    }
    runge_kutta(chain<T>{n, x}, n, s, ODE_END / s, y);
}

template <class T> T objective(const T *__restrict x, int n, int s) {
    T *y = scratch<T>(n);
    ode_solve(x, n, s, y);
    T last = y[n - 1];
    release(y, n);
    return last;
}

#endif
