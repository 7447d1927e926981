/* The classical Runge-Kutta method with a fixed step on the system of Lorenz (1996),
 *
 *   y_i' = (y_{i+1} - y_{i-2}) y_{i-1} - y_i + F_i,   indices around a ring of n >= 4,
 *
 * half the mean square of the last state. x holds the first state (n) and the forcing F (n). */
#ifndef ADBENCH_RK4_HPP
#define ADBENCH_RK4_HPP

#include "../../native/scalar/runge_kutta.hpp"

struct problem {
    int n, steps;
    double h;
    const double *x;
    double *value, *dx;
    const double *tx;
    double *dvalue;
};

#define PARAMETERS(p) (2 * (p)->n)
#define ARGUMENTS(p, mark) mark((p)->n), mark((p)->steps), mark((p)->h)

template <class T> struct lorenz {
    int n;
    const T *forcing;

    void operator()(double, const T *__restrict y, T *__restrict dy) const {
        dy[0] = (y[1] - y[n - 2]) * y[n - 1] - y[0] + forcing[0];
        dy[1] = (y[2] - y[n - 1]) * y[0] - y[1] + forcing[1];
        for (int i = 2; i < n - 1; i++) {
            dy[i] = (y[i + 1] - y[i - 2]) * y[i - 1] - y[i] + forcing[i];
        }
        dy[n - 1] = (y[0] - y[n - 3]) * y[n - 2] - y[n - 1] + forcing[n - 1];
    }
};

template <class T> T objective(const T *__restrict x, int n, int steps, double h) {
    T *y = scratch<T>(n);
    for (int i = 0; i < n; i++) {
        y[i] = x[i];
    }
    runge_kutta(lorenz<T>{n, x + n}, n, steps, h, y);
    T result = 0.0;
    for (int i = 0; i < n; i++) {
        result += y[i] * y[i];
    }
    release(y, n);
    return 0.5 * result / n;
}

#endif
