/* Vector normalisation, out[i] = x[i] / mag(x), weighted and summed.
 *
 * The magnitude is asked for in every step of the loop, as in the first figure of Moses and Churavy (NeurIPS 2020). An
 * optimiser takes the call out of the loop: differentiated after that, the derivative costs O(n); before it, O(n^2). */
#ifndef ADBENCH_NORM_HPP
#define ADBENCH_NORM_HPP

#include <math.h>
#include "../../native/scalar/scratch.hpp"

struct problem {
    int n;
    const double *x, *weights;
    double *value, *dx;
    const double *tx;
    double *dvalue;
};

#define PARAMETERS(p) (p)->n
#define ARGUMENTS(p, mark) mark((p)->n), mark((p)->weights)

/* Kept as a call: inlined, it would be a loop inside a loop, which optimisers leave where it is. */
template <class T> __attribute__((noinline)) T magnitude(int n, const T *__restrict x) {
    T sum = 0.0;
    for (int i = 0; i < n; i++) {
        sum += x[i] * x[i];
    }
    return sqrt(sum);
}

/* With plain numbers the call has no effects (a tape of other numbers is one), not even on errno. */
__attribute__((noinline, pure)) inline double magnitude(int n, const double *__restrict x) {
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        sum += x[i] * x[i];
    }
    return sqrt(sum);
}

template <class T> void normalise(int n, const T *__restrict x, T *__restrict out) {
    for (int i = 0; i < n; i++) {
        out[i] = x[i] / magnitude(n, x);
    }
}

template <class T> T objective(const T *x, int n, const double *weights) {
    T *out = scratch<T>(n);
    normalise(n, x, out);
    T result = 0.0;
    for (int i = 0; i < n; i++) {
        result += weights[i] * out[i];
    }
    release(out, n);
    return result;
}

#endif
