/* The discrete adjoint. With a the adjoint of v after a step and r the residual before it, s = -rate M a is the adjoint
 * of r, dM takes -rate r a^T + s v^T, and a grows by M^T s. */
#include <string.h>

#include "../../native/scalar/primal.cpp"

extern "C" void adbench_derivative(struct problem *p) {
    const int n = p->n, steps = p->steps;
    const double *M = p->x + n, rate = p->rate;
    double *a = p->dx, *dM = p->dx + n, result = 0.0;
    double *states = scratch<double>((steps + 1L) * n), *r = scratch<double>(n), *s = scratch<double>(n);
    memcpy(states, p->x, sizeof(double) * (size_t)n);
    for (int step = 0; step < steps; step++) {
        double *next = states + (step + 1L) * n;
        memcpy(next, next - n, sizeof(double) * (size_t)n);
        descent_residual(n, M, next, p->b, r);
        descent_move(n, -rate, M, r, next);
    }
    const double *last = states + (long)steps * n;
    descent_residual(n, M, last, p->b, r);
    memset(a, 0, sizeof(double) * (size_t)n);
    descent_move(n, 1.0, M, r, a);
    for (int i = 0; i < n; i++) {
        result += r[i] * r[i];
        for (int j = 0; j < n; j++) {
            dM[i * n + j] = r[i] * last[j];
        }
    }
    for (int step = steps; step-- > 0;) {
        const double *v = states + (long)step * n;
        descent_residual(n, M, v, p->b, r);
        for (int i = 0; i < n; i++) {
            double sum = 0.0;
            for (int j = 0; j < n; j++) {
                sum += M[i * n + j] * a[j];
            }
            s[i] = -rate * sum;
        }
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) {
                dM[i * n + j] += s[i] * v[j] - rate * r[i] * a[j];
            }
        }
        descent_move(n, 1.0, M, s, a);
    }
    *p->value = 0.5 * result;
    release(states, (steps + 1L) * n);
    release(r, n);
    release(s, n);
}
