/* The classical Runge-Kutta method with a fixed step, and its adjoint by hand.
 *
 * A system is an object with `template <class T> void operator()(double t, const T *y, T *dy) const`, dy = f(t, y). */
#ifndef ADBENCH_SCALAR_RUNGE_KUTTA_HPP
#define ADBENCH_SCALAR_RUNGE_KUTTA_HPP

#include <string.h>

#include "scratch.hpp"

/* y after `steps` steps from time 0, in place. */
template <class T, class System> void runge_kutta(const System &system, long n, int steps, double h, T *y) {
    T *stage = scratch<T>(n), *slope = scratch<T>(n), *sum = scratch<T>(n);
    for (int step = 0; step < steps; step++) {
        double t = step * h;
        system(t, y, slope);
        for (long i = 0; i < n; i++) {
            sum[i] = slope[i];
            stage[i] = y[i] + 0.5 * h * slope[i];
        }
        system(t + 0.5 * h, stage, slope);
        for (long i = 0; i < n; i++) {
            sum[i] += 2.0 * slope[i];
            stage[i] = y[i] + 0.5 * h * slope[i];
        }
        system(t + 0.5 * h, stage, slope);
        for (long i = 0; i < n; i++) {
            sum[i] += 2.0 * slope[i];
            stage[i] = y[i] + h * slope[i];
        }
        system(t + h, stage, slope);
        for (long i = 0; i < n; i++) {
            y[i] += h / 6.0 * (sum[i] + slope[i]);
        }
    }
    release(stage, n);
    release(slope, n);
    release(sum, n);
}

/* The states before each step and after the last, (steps + 1) n numbers; states[0 .. n) is given. */
template <class System> void runge_kutta_states(const System &system, long n, int steps, double h, double *states) {
    struct shifted {
        const System &system;
        double start;
        void operator()(double t, const double *y, double *dy) const { system(start + t, y, dy); }
    };
    for (int step = 0; step < steps; step++) {
        double *next = states + (step + 1) * n;
        memcpy(next, next - n, sizeof(double) * (size_t)n);
        runge_kutta(shifted{system, step * h}, n, 1, h, next);
    }
}

/* From the adjoint of the last state to that of the first, in place; states are recomputed stage by stage.
 *
 * `pull(t, y, a, u)` sets u to the transposed Jacobian of f at y times a, and adds to what it keeps of the derivative by
 * the system's own parameters. */
template <class System, class Pull>
void runge_kutta_adjoint(const System &system, Pull &pull, long n, int steps, double h, const double *states,
                         double *adjoint) {
    static const double into[4] = {0.0, 0.5, 0.5, 1.0}, weight[4] = {1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0};
    double *stages = scratch<double>(4 * n), *slope = scratch<double>(n);
    double *share = scratch<double>(n), *pulled = scratch<double>(n), *total = scratch<double>(n);
    for (int step = steps; step-- > 0;) {
        const double *y = states + step * n;
        double t = step * h;
        memcpy(stages, y, sizeof(double) * (size_t)n);
        for (int s = 1; s < 4; s++) {
            system(t + into[s - 1] * h, stages + (s - 1) * n, slope);
            for (long i = 0; i < n; i++) {
                stages[s * n + i] = y[i] + into[s] * h * slope[i];
            }
        }
        for (long i = 0; i < n; i++) {
            total[i] = adjoint[i];
        }
        for (int s = 3; s >= 0; s--) {
            for (long i = 0; i < n; i++) {
                share[i] = h * weight[s] * adjoint[i] + (s < 3 ? h * into[s + 1] * pulled[i] : 0.0);
            }
            pull(t + into[s] * h, stages + s * n, share, pulled);
            for (long i = 0; i < n; i++) {
                total[i] += pulled[i];
            }
        }
        memcpy(adjoint, total, sizeof(double) * (size_t)n);
    }
    release(stages, 4 * n);
    release(slope, n);
    release(share, n);
    release(pulled, n);
    release(total, n);
}

#endif
