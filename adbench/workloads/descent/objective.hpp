/* Matrix descent: half the squared residual |M v - b|^2 after steps of gradient descent, v -= rate M^T (M v - b).
 *
 * x holds the first v (n) and M (n n), row after row: the derivative runs through the steps, over an array that each of
 * them overwrites. */
#ifndef ADBENCH_DESCENT_HPP
#define ADBENCH_DESCENT_HPP

#include "../../native/scalar/scratch.hpp"

struct problem {
    int n, steps;
    double rate;
    const double *x, *b;
    double *value, *dx;
    const double *tx;
    double *dvalue;
};

#define PARAMETERS(p) ((p)->n * ((p)->n + 1))
#define ARGUMENTS(p, mark) mark((p)->n), mark((p)->steps), mark((p)->rate), mark((p)->b)

/* r = M v - b */
template <class T>
void descent_residual(int n, const T *__restrict M, const T *__restrict v, const double *__restrict b,
                      T *__restrict r) {
    for (int i = 0; i < n; i++) {
        T sum = 0.0;
        for (int j = 0; j < n; j++) {
            sum += M[i * n + j] * v[j];
        }
        r[i] = sum - b[i];
    }
}

/* v += factor M^T r */
template <class T> void descent_move(int n, double factor, const T *__restrict M, const T *__restrict r, T *__restrict v) {
    for (int i = 0; i < n; i++) {
        T share = factor * r[i];
        for (int j = 0; j < n; j++) {
            v[j] += M[i * n + j] * share;
        }
    }
}

template <class T>
T objective(const T *__restrict x, int n, int steps, double rate, const double *__restrict b) {
    const T *M = x + n;
    T *v = scratch<T>(n), *r = scratch<T>(n);
    for (int i = 0; i < n; i++) {
        v[i] = x[i];
    }
    for (int step = 0; step < steps; step++) {
        descent_residual(n, M, v, b, r);
        descent_move(n, -rate, M, r, v);
    }
    descent_residual(n, M, v, b, r);
    T result = 0.0;
    for (int i = 0; i < n; i++) {
        result += r[i] * r[i];
    }
    release(v, n);
    release(r, n);
    return 0.5 * result;
}

#endif
