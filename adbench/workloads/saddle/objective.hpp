/* The largest value over (x2, y2) of (x1^2 + y1^2) - (x2^2 + y2^2), found by gradient ascent from (1, 1).
 *
 * It is the inner problem of the saddle point of Siskind and Pearlmutter (2008, see argmin.hpp) and of GradBench: the
 * ascent uses derivatives, and is differentiated by (x1, y1) step by step. */
#ifndef ADBENCH_SADDLE_HPP
#define ADBENCH_SADDLE_HPP

#include "../../native/scalar/argmin.hpp"

struct problem {
    int outer, inner; /* 1: reverse mode, 0: forward mode */
    const double *x;
    double *value, *dx;
    const double *tx;
    double *dvalue, *solution;
};

#define PARAMETERS(p) 2
#define ARGUMENTS(p, mark) mark((p)->outer), mark((p)->inner)

/* What the second player loses: the payoff with its sign turned. */
template <class T> T saddle_loss(const T *second, const T *first) {
    return second[0] * second[0] + second[1] * second[1] - (first[0] * first[0] + first[1] * first[1]);
}

/* The gradient of the loss by the second player's place, by hand. */
struct by_hand {
    template <class T> static void gradient(const T *, const T *second, T *out) {
        out[0] = 2.0 * second[0];
        out[1] = 2.0 * second[1];
    }
};

template <class T, class Inner> struct second_player {
    const T *first;

    T value(const T *second) const { return saddle_loss(second, first); }

    void gradient(const T *second, T *out) const { Inner::gradient(first, second, out); }
};

template <class T, class Inner> T saddle_value(const T *first) {
    T second[2] = {1.0, 1.0};
    argmin<2>(second_player<T, Inner>{first}, second);
    return -saddle_loss<T>(second, first);
}

template <class T> T objective(const T *x, int, int) { return saddle_value<T, by_hand>(x); }

#endif
