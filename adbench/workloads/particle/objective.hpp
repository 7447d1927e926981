/* The square of the place where a charged particle crosses the x axis, by a control w that moves one of two charges.
 *
 * The problem is that of Siskind and Pearlmutter, "Using polyvariant union-free flow analysis to compile a higher-order
 * functional-programming language with a first-class derivative operator to efficient Fortran-like code" (2008), and of
 * GradBench: charges at (10, 10 - w) and (10, 0), start (0, 8), speed (0.75, 0), Euler's method with step h until the
 * axis is crossed, the crossing by linear interpolation. The force is the gradient of a potential: a derivative inside
 * of what is differentiated. */
#ifndef ADBENCH_PARTICLE_HPP
#define ADBENCH_PARTICLE_HPP

#include <math.h>

struct problem {
    int outer, inner; /* 1: reverse mode, 0: forward mode */
    double h;
    const double *x;
    double *value, *dx;
    const double *tx;
    double *dvalue, *solution;
};

#define PARAMETERS(p) 1
#define ARGUMENTS(p, mark) mark((p)->outer), mark((p)->inner), mark((p)->h)

template <class T> T particle_potential(const T *place, const T *w) {
    T x = place[0] - 10.0, y = place[1] - (10.0 - *w), z = place[1];
    return 1.0 / sqrt(x * x + y * y) + 1.0 / sqrt(x * x + z * z);
}

/* The gradient of the potential by the place, by hand: what compiled tools without nested derivatives use. */
struct by_hand {
    template <class T> static void gradient(const T *w, const T *place, T *out) {
        T x = place[0] - 10.0, y = place[1] - (10.0 - *w), z = place[1];
        T first = x * x + y * y, second = x * x + z * z;
        T a = 1.0 / (first * sqrt(first)), b = 1.0 / (second * sqrt(second));
        out[0] = -x * (a + b);
        out[1] = -y * a - z * b;
    }
};

template <class T, class Inner> T particle_cost(const T *w, double h) {
    T place[2] = {0.0, 8.0}, speed[2] = {0.75, 0.0};
    for (;;) {
        T push[2];
        Inner::gradient(w, place, push);
        T next = place[1] + h * speed[1];
        if (!(next > 0.0)) break;
        place[0] += h * speed[0];
        place[1] = next;
        speed[0] -= h * push[0];
        speed[1] -= h * push[1];
    }
    T crossing = place[0] - place[1] / speed[1] * speed[0];
    return crossing * crossing;
}

template <class T> T objective(const T *x, int, int, double h) { return particle_cost<T, by_hand>(x, h); }

#endif
