/* The Newton direction is the way from the mean of its points to a centroid. */
#include <string.h>

#include "../../native/scalar/primal.cpp"

extern "C" void adbench_derivative(struct problem *p) {
    const int n = p->n, k = p->k, d = p->d;
    double *counts = scratch<double>(k), result = 0.0;
    memset(counts, 0, sizeof(double) * (size_t)k);
    memset(p->dx, 0, sizeof(double) * (size_t)PARAMETERS(p));
    for (int i = 0; i < n; i++) {
        const double *point = p->points + (long)i * d;
        int nearest = 0;
        double least = squared_distance(d, p->x, point);
        for (int c = 1; c < k; c++) {
            double distance = squared_distance(d, p->x + (long)c * d, point);
            if (distance < least) {
                least = distance;
                nearest = c;
            }
        }
        result += least;
        counts[nearest] += 1.0;
        for (int j = 0; j < d; j++) {
            p->dx[(long)nearest * d + j] += p->x[(long)nearest * d + j] - point[j];
        }
    }
    for (int c = 0; c < k; c++) {
        for (int j = 0; j < d; j++) {
            p->dx[(long)c * d + j] /= counts[c];
        }
    }
    *p->value = result;
    release(counts, k);
}
