/* The engine's inner gradients by reverse and by forward mode, and the choice of a nesting. */
#ifndef ADBENCH_SADDLE_NESTED_HPP
#define ADBENCH_SADDLE_NESTED_HPP

#include "../../native/scalar/enzyme.hpp"
#include "../../native/scalar/primal.cpp"


static double loss(const double *second, const double *first) { return saddle_loss(second, first); }

struct by_reverse {
    static void gradient(const double *first, const double *second, double *out) {
        out[0] = out[1] = 0.0;
        __enzyme_autodiff((void *)loss, enzyme_dup, second, out, enzyme_const, first);
    }
};

struct by_forward {
    static void gradient(const double *first, const double *second, double *out) {
        const double along_x[2] = {1.0, 0.0}, along_y[2] = {0.0, 1.0};
        out[0] = __enzyme_fwddiff((void *)loss, enzyme_dup, second, along_x, enzyme_const, first);
        out[1] = __enzyme_fwddiff((void *)loss, enzyme_dup, second, along_y, enzyme_const, first);
    }
};

template <class Inner> double saddle_slope(const double *first, const double *direction) {
    return __enzyme_fwddiff((void *)saddle_value<double, Inner>, enzyme_dup, first, direction);
}

template <class Inner> void saddle_gradient(int outer, const double *first, double *out) {
    const double along_x[2] = {1.0, 0.0}, along_y[2] = {0.0, 1.0};
    if (outer) {
        out[0] = out[1] = 0.0;
        __enzyme_autodiff((void *)saddle_value<double, Inner>, enzyme_dup, first, out);
    } else {
        out[0] = saddle_slope<Inner>(first, along_x);
        out[1] = saddle_slope<Inner>(first, along_y);
    }
}

#endif
