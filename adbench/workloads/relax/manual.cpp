/* The sweeps undone from the last step to the first, with the values that each step overwrote. */
#include <string.h>

#include "../../native/scalar/primal.cpp"

extern "C" void adbench_derivative(struct problem *p) {
    const int n = p->n, width = n + 2, size = width * width;
    const long steps = (long)p->sweeps * n * n;
    const double *f = p->x, kappa = p->kappa;
    double *df = p->dx, *dfirst = p->dx + n * n, result = 0.0;
    double *u = scratch<double>(size), *a = scratch<double>(size), *old = scratch<double>(steps);
    memset(u, 0, sizeof(double) * (size_t)size);
    memset(a, 0, sizeof(double) * (size_t)size);
    memset(df, 0, sizeof(double) * (size_t)n * (size_t)n);
    for (int i = 1; i <= n; i++) {
        memcpy(u + i * width + 1, p->x + n * n + (i - 1) * n, sizeof(double) * (size_t)n);
    }
    long count = 0;
    for (int sweep = 0; sweep < p->sweeps; sweep++) {
        for (int i = 1; i <= n; i++) {
            for (int j = 1; j <= n; j++) {
                double *here = u + i * width + j, value = *here;
                double sum = here[-width] + here[width] + here[-1] + here[1] + f[(i - 1) * n + j - 1];
                old[count++] = value;
                *here = 0.25 * (sum - kappa * value * value * value);
            }
        }
    }
    for (int i = 1; i <= n; i++) {
        for (int j = 1; j <= n; j++) {
            double value = u[i * width + j];
            result += value * value;
            a[i * width + j] = value / (n * n);
        }
    }
    for (int sweep = p->sweeps; sweep-- > 0;) {
        for (int i = n; i >= 1; i--) {
            for (int j = n; j >= 1; j--) {
                double *here = a + i * width + j, share = 0.25 * *here, value = old[--count];
                *here = -3.0 * share * kappa * value * value;
                here[-width] += share;
                here[width] += share;
                here[-1] += share;
                here[1] += share;
                df[(i - 1) * n + j - 1] += share;
            }
        }
    }
    for (int i = 1; i <= n; i++) {
        memcpy(dfirst + (i - 1) * n, a + i * width + 1, sizeof(double) * (size_t)n);
    }
    *p->value = 0.5 * result / (n * n);
    release(u, size);
    release(a, size);
    release(old, steps);
}
