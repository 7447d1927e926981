/* The sum of the squares of n numbers; GradBench has one. */
#ifndef ADBENCH_HELLO_HPP
#define ADBENCH_HELLO_HPP

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
    T result = 0.0;
    for (int i = 0; i < n; i++) {
        result += x[i] * x[i];
    }
    return result;
}

#endif
