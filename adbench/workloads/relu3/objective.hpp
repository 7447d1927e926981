/* relu3(x) = x^3 where x is positive and 0 elsewhere, weighted and summed over a vector. */
#ifndef ADBENCH_RELU3_HPP
#define ADBENCH_RELU3_HPP

#include <math.h>

struct problem {
    int n;
    const double *x, *weights;
    double *value, *dx;
    const double *tx;
    double *dvalue;
};

#define PARAMETERS(p) (p)->n
#define ARGUMENTS(p, mark) mark((p)->n), mark((p)->weights)

template <class T> T relu3(const T &x) {
    if (x > 0.0) {
        return pow(x, 3.0);
    }
    return 0.0;
}

template <class T> T objective(const T *x, int n, const double *weights) {
    T result = 0.0;
    for (int i = 0; i < n; i++) {
        result += weights[i] * relu3(x[i]);
    }
    return result;
}

#endif
