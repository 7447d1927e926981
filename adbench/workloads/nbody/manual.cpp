/* The discrete adjoint. With d = q_j - q_i, s = |d|^2 + softening, c = s^-3/2 and g = m_j a_i - m_i a_j for the adjoints
 * a of the speeds, a pair's share of the adjoint of d is h (c g - 3 c / s (d . g) d). */
#include <string.h>

#include "../../native/scalar/primal.cpp"

static void nbody_pull(int n, double h, const double *q, const double *a, double *dq, const double *masses) {
    for (int i = 0; i < n; i++) {
        for (int j = i + 1; j < n; j++) {
            double d[3], g[3], square = NBODY_SOFTENING, product = 0.0;
            for (int c = 0; c < 3; c++) {
                d[c] = q[3 * j + c] - q[3 * i + c];
                g[c] = masses[j] * a[3 * i + c] - masses[i] * a[3 * j + c];
                square += d[c] * d[c];
                product += d[c] * g[c];
            }
            double pull = h / (square * sqrt(square)), along = 3.0 * pull * product / square;
            for (int c = 0; c < 3; c++) {
                double share = pull * g[c] - along * d[c];
                dq[3 * j + c] += share;
                dq[3 * i + c] -= share;
            }
        }
    }
}

extern "C" void adbench_derivative(struct problem *p) {
    const int n = p->n, size = 3 * n;
    const double h = p->h;
    double *places = scratch<double>((p->steps + 1L) * size), *speed = scratch<double>(size);
    double *dplace = p->dx, *dspeed = p->dx + size, result = 0.0;
    memcpy(places, p->x, sizeof(double) * (size_t)size);
    memcpy(speed, p->x + size, sizeof(double) * (size_t)size);
    for (int step = 0; step < p->steps; step++) {
        const double *place = places + (long)step * size;
        double *next = places + (step + 1L) * size;
        nbody_kick(n, h, place, speed, p->masses);
        for (int i = 0; i < size; i++) {
            next[i] = place[i] + h * speed[i];
        }
    }
    for (int i = 0; i < size; i++) {
        result += p->weights[i] * places[(long)p->steps * size + i];
        dplace[i] = p->weights[i];
        dspeed[i] = 0.0;
    }
    for (int step = p->steps; step-- > 0;) {
        for (int i = 0; i < size; i++) {
            dspeed[i] += h * dplace[i];
        }
        nbody_pull(n, h, places + (long)step * size, dspeed, dplace, p->masses);
    }
    *p->value = result;
    release(places, (p->steps + 1L) * size);
    release(speed, size);
}
