/* Euler's method with a fixed step on y' = A y, A constant: half the squared length of the last state.
 *
 * With one component it is the Euler benchmark of Moses and Churavy (NeurIPS 2020). x holds the first state (n) and then
 * A (n n), row after row. */
#ifndef ADBENCH_EULER_HPP
#define ADBENCH_EULER_HPP

#include "../../native/scalar/scratch.hpp"

struct problem {
    int n, steps;
    double h;
    const double *x;
    double *value, *dx;
    const double *tx;
    double *dvalue;
};

#define PARAMETERS(p) ((p)->n * ((p)->n + 1))
#define ARGUMENTS(p, mark) mark((p)->n), mark((p)->steps), mark((p)->h)

template <class T> void euler_slope(int n, const T *__restrict A, const T *__restrict y, T *__restrict slope) {
    for (int i = 0; i < n; i++) {
        T sum = 0.0;
        for (int j = 0; j < n; j++) {
            sum += A[i * n + j] * y[j];
        }
        slope[i] = sum;
    }
}

template <class T> T objective(const T *__restrict x, int n, int steps, double h) {
    const T *A = x + n;
    T *y = scratch<T>(n), *slope = scratch<T>(n);
    for (int i = 0; i < n; i++) {
        y[i] = x[i];
    }
    for (int step = 0; step < steps; step++) {
        euler_slope(n, A, y, slope);
        for (int i = 0; i < n; i++) {
            y[i] += h * slope[i];
        }
    }
    T result = 0.0;
    for (int i = 0; i < n; i++) {
        result += y[i] * y[i];
    }
    release(y, n);
    release(slope, n);
    return 0.5 * result;
}

#endif
