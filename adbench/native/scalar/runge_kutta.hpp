/* The classical Runge-Kutta method with a fixed step, and its adjoint by hand.
 *
 * A system is an object with `template <class T> void operator()(double t, const T *y, T *dy) const`, dy = f(t, y). */
#ifndef ADBENCH_SCALAR_RUNGE_KUTTA_HPP
#define ADBENCH_SCALAR_RUNGE_KUTTA_HPP

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

/* What the way back needs: the state and the arguments of the other three slopes of each step, one after the other, and
 * the last state behind them; (4 steps + 1) n numbers, of which the first n are given. */
template <class System>
void runge_kutta_stages(const System &system, long n, int steps, double h, double *stages) {
    double *__restrict slope = scratch<double>(n), *__restrict sum = scratch<double>(n);
    for (int step = 0; step < steps; step++) {
        double t = step * h;
        const double *__restrict y = stages + 4L * step * n;
        double *__restrict second = stages + (4L * step + 1) * n, *__restrict third = second + n;
        double *__restrict fourth = third + n, *__restrict next = fourth + n;
        system(t, y, slope);
        for (long i = 0; i < n; i++) {
            sum[i] = slope[i];
            second[i] = y[i] + 0.5 * h * slope[i];
        }
        system(t + 0.5 * h, second, slope);
        for (long i = 0; i < n; i++) {
            sum[i] += 2.0 * slope[i];
            third[i] = y[i] + 0.5 * h * slope[i];
        }
        system(t + 0.5 * h, third, slope);
        for (long i = 0; i < n; i++) {
            sum[i] += 2.0 * slope[i];
            fourth[i] = y[i] + h * slope[i];
        }
        system(t + h, fourth, slope);
        for (long i = 0; i < n; i++) {
            next[i] = y[i] + h / 6.0 * (sum[i] + slope[i]);
        }
    }
    release<double>(slope, n);
    release<double>(sum, n);
}

/* From the adjoint of the last state to that of the first, in place.
 *
 * `pull(y, a, u)` sets u to the transposed Jacobian of f at y times a, and adds to what it keeps of the derivative by the
 * system's own parameters. */
template <class Pull>
void runge_kutta_adjoint(Pull &pull, long n, int steps, double h, const double *stages, double *__restrict adjoint) {
    const double half = 0.5 * h, sixth = h / 6.0, third = h / 3.0;
    double *__restrict share = scratch<double>(n), *__restrict pulled = scratch<double>(n);
    double *__restrict total = scratch<double>(n);
    for (int step = steps; step-- > 0;) {
        const double *y = stages + 4L * step * n;
        for (long i = 0; i < n; i++) {
            share[i] = sixth * adjoint[i];
        }
        pull(y + 3 * n, share, pulled);
        for (long i = 0; i < n; i++) {
            total[i] = adjoint[i] + pulled[i];
            share[i] = third * adjoint[i] + h * pulled[i];
        }
        pull(y + 2 * n, share, pulled);
        for (long i = 0; i < n; i++) {
            total[i] += pulled[i];
            share[i] = third * adjoint[i] + half * pulled[i];
        }
        pull(y + n, share, pulled);
        for (long i = 0; i < n; i++) {
            total[i] += pulled[i];
            share[i] = sixth * adjoint[i] + half * pulled[i];
        }
        pull(y, share, pulled);
        for (long i = 0; i < n; i++) {
            adjoint[i] = total[i] + pulled[i];
        }
    }
    release<double>(share, n);
    release<double>(pulled, n);
    release<double>(total, n);
}

#endif
