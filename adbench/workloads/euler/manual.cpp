/* The discrete adjoint: a starts as the last state; each step back adds h a y^T to dA and h A^T a to a. */
#include <string.h>

#include "../../native/scalar/primal.cpp"

extern "C" void adbench_derivative(struct problem *p) {
    const int n = p->n, steps = p->steps;
    const double *__restrict A = p->x + n, h = p->h;
    double *__restrict dA = p->dx + n, result = 0.0;
    double *states = scratch<double>((steps + 1L) * n);
    double *slope = scratch<double>(n), *a = scratch<double>(n), *before = scratch<double>(n);
    memcpy(states, p->x, sizeof(double) * (size_t)n);
    for (int step = 0; step < steps; step++) {
        const double *y = states + (long)step * n;
        double *next = states + (step + 1L) * n;
        euler_slope(n, A, y, slope);
        for (int i = 0; i < n; i++) {
            next[i] = y[i] + h * slope[i];
        }
    }
    for (int i = 0; i < n; i++) {
        a[i] = states[(long)steps * n + i];
        result += a[i] * a[i];
    }
    memset(dA, 0, sizeof(double) * (size_t)n * (size_t)n);
    for (int step = steps; step-- > 0;) {
        const double *y = states + (long)step * n;
        const double *__restrict from = a;
        double *__restrict into = before;
        for (int j = 0; j < n; j++) {
            dA[j] += h * from[0] * y[j];
            into[j] = from[j] + h * from[0] * A[j];
        }
        for (int i = 1; i < n; i++) {
            double share = h * from[i];
            for (int j = 0; j < n; j++) {
                dA[i * n + j] += share * y[j];
                into[j] += share * A[i * n + j];
            }
        }
        double *other = a;
        a = before;
        before = other;
    }
    memcpy(p->dx, a, sizeof(double) * (size_t)n);
    *p->value = 0.5 * result;
    release(states, (steps + 1L) * n);
    release(slope, n);
    release(a, n);
    release(before, n);
}
