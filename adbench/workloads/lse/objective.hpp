/* log(sum(exp(x))), shifted by the largest element so that nothing overflows. */
#ifndef ADBENCH_LSE_HPP
#define ADBENCH_LSE_HPP

#include <math.h>

struct problem {
    int n;
    const double *x;
    double *value, *dx;
    const double *tx;
    double *dvalue;
};

#define PARAMETERS(p) (p)->n
#define ARGUMENTS(p, mark) mark((p)->n)

template <class T> T objective(const T *x, int n) {
    T largest = x[0];
    for (int i = 1; i < n; i++) {
        if (largest < x[i]) largest = x[i];
    }
    T sum = 0.0;
    for (int i = 0; i < n; i++) {
        sum += exp(x[i] - largest);
    }
    return log(sum) + largest;
}

#endif
