/* The Brusselator on a periodic grid of n by n points of the unit square, by the classical Runge-Kutta method:
 *
 *   u' = B + u^2 v - (A + 1) u + alpha (u_xx + u_yy) + f(x, y, t),   v' = A u - u^2 v + alpha (v_xx + v_yy),
 *
 * f = 5 inside the circle of radius 0.1 around (0.3, 0.6) once t is past 0.1025, else 0. Moses and Churavy (NeurIPS 2020)
 * take the problem from the documentation of DifferentialEquations.jl, whose circle and initial values these are; its
 * forcing starts later. The objective is half the mean square of the last state. x holds A, B, alpha, u (n n), v (n n). */
#ifndef ADBENCH_BRUSSELATOR_HPP
#define ADBENCH_BRUSSELATOR_HPP

#include "../../native/scalar/runge_kutta.hpp"

/* Between two times at which the method of the cases asks, so that rounding cannot decide. */
#define BRUSSELATOR_START 0.1025

struct problem {
    int n, steps;
    double h;
    const double *x;
    double *value, *dx;
    const double *tx;
    double *dvalue;
};

#define PARAMETERS(p) (3 + 2 * (p)->n * (p)->n)
#define ARGUMENTS(p, mark) mark((p)->n), mark((p)->steps), mark((p)->h)

template <class T> struct brusselator {
    int n;
    const T *rates;

    double forcing(double t, int i, int j) const {
        double x = (double)i / n - 0.3, y = (double)j / n - 0.6;
        return t >= BRUSSELATOR_START && x * x + y * y <= 0.01 ? 5.0 : 0.0;
    }

    void operator()(double t, const T *__restrict state, T *__restrict slope) const {
        const T A = rates[0], B = rates[1], alpha = rates[2] * (double)(n * n);
        const T *u = state, *v = state + n * n;
        T *du = slope, *dv = slope + n * n;
        for (int i = 0; i < n; i++) {
            int above = (i == 0 ? n - 1 : i - 1) * n, here = i * n, below = (i == n - 1 ? 0 : i + 1) * n;
            for (int j = 0; j < n; j++) {
                int left = j == 0 ? n - 1 : j - 1, right = j == n - 1 ? 0 : j + 1;
                T a = u[here + j], b = v[here + j], reaction = a * a * b;
                T spread_u = u[above + j] + u[below + j] + u[here + left] + u[here + right] - 4.0 * a;
                T spread_v = v[above + j] + v[below + j] + v[here + left] + v[here + right] - 4.0 * b;
                du[here + j] = B + reaction - (A + 1.0) * a + alpha * spread_u + forcing(t, i, j);
                dv[here + j] = A * a - reaction + alpha * spread_v;
            }
        }
    }
};

template <class T> T objective(const T *__restrict x, int n, int steps, double h) {
    const int size = 2 * n * n;
    T *y = scratch<T>(size);
    for (int i = 0; i < size; i++) {
        y[i] = x[3 + i];
    }
    runge_kutta(brusselator<T>{n, x}, size, steps, h, y);
    T result = 0.0;
    for (int i = 0; i < size; i++) {
        result += y[i] * y[i];
    }
    release(y, size);
    return 0.5 * result / size;
}

#endif
