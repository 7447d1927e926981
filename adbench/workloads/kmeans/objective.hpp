/* The sum of the squared distances of n points from the nearest of k centroids. x holds the centroids (k, d).
 *
 * Its derivative here is a Newton direction, the gradient over the diagonal of the Hessian, which is the Hessian: the
 * problem of k-means by Newton's method, as Futhark's AD benchmarks and GradBench have it. */
#ifndef ADBENCH_KMEANS_HPP
#define ADBENCH_KMEANS_HPP

#include "../../native/scalar/scratch.hpp"

struct problem {
    int n, k, d;
    const double *x, *points;
    double *value, *dx;
    const double *tx;
    double *dvalue;
};

#define PARAMETERS(p) ((p)->k * (p)->d)
#define ARGUMENTS(p, mark) mark((p)->n), mark((p)->k), mark((p)->d), mark((p)->points)

template <class T> T squared_distance(int d, const T *__restrict a, const double *__restrict b) {
    T sum = 0.0;
    for (int i = 0; i < d; i++) {
        T apart = a[i] - b[i];
        sum += apart * apart;
    }
    return sum;
}

template <class T> T objective(const T *__restrict x, int n, int k, int d, const double *__restrict points) {
    T result = 0.0;
    for (int i = 0; i < n; i++) {
        const double *point = points + (long)i * d;
        T nearest = squared_distance(d, x, point);
        for (int c = 1; c < k; c++) {
            T distance = squared_distance(d, x + (long)c * d, point);
            if (distance < nearest) nearest = distance;
        }
        result += nearest;
    }
    return result;
}

#endif
