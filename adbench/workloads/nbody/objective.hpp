/* n gravitating bodies by the symplectic Euler method: first speeds, then places. Gravity is softened, so that close
 * bodies do no harm. The objective is a weighted sum of the last places. x holds places (n, 3) and speeds (n, 3). */
#ifndef ADBENCH_NBODY_HPP
#define ADBENCH_NBODY_HPP

#include <math.h>

#include "../../native/scalar/scratch.hpp"

#define NBODY_SOFTENING 0.01

struct problem {
    int n, steps;
    double h;
    const double *x, *masses, *weights;
    double *value, *dx;
    const double *tx;
    double *dvalue;
};

#define PARAMETERS(p) (6 * (p)->n)
#define ARGUMENTS(p, mark) \
    mark((p)->n), mark((p)->steps), mark((p)->h), mark((p)->masses), mark((p)->weights)

/* speed += h * acceleration, pair by pair. */
template <class T>
void nbody_kick(int n, double h, const T *__restrict place, T *__restrict speed, const double *__restrict masses) {
    for (int i = 0; i < n; i++) {
        for (int j = i + 1; j < n; j++) {
            T dx = place[3 * j] - place[3 * i];
            T dy = place[3 * j + 1] - place[3 * i + 1];
            T dz = place[3 * j + 2] - place[3 * i + 2];
            T square = dx * dx + dy * dy + dz * dz + NBODY_SOFTENING;
            T pull = h / (square * sqrt(square));
            speed[3 * i] += masses[j] * pull * dx;
            speed[3 * i + 1] += masses[j] * pull * dy;
            speed[3 * i + 2] += masses[j] * pull * dz;
            speed[3 * j] -= masses[i] * pull * dx;
            speed[3 * j + 1] -= masses[i] * pull * dy;
            speed[3 * j + 2] -= masses[i] * pull * dz;
        }
    }
}

template <class T>
T objective(const T *__restrict x, int n, int steps, double h, const double *__restrict masses,
            const double *__restrict weights) {
    T *place = scratch<T>(3 * n), *speed = scratch<T>(3 * n);
    for (int i = 0; i < 3 * n; i++) {
        place[i] = x[i];
        speed[i] = x[3 * n + i];
    }
    for (int step = 0; step < steps; step++) {
        nbody_kick(n, h, place, speed, masses);
        for (int i = 0; i < 3 * n; i++) {
            place[i] += h * speed[i];
        }
    }
    T result = 0.0;
    for (int i = 0; i < 3 * n; i++) {
        result += weights[i] * place[i];
    }
    release(place, 3 * n);
    release(speed, 3 * n);
    return result;
}

#endif
