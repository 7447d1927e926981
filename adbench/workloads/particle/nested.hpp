/* The engine's inner gradients by reverse and by forward mode, and the choice of a nesting. */
#ifndef ADBENCH_PARTICLE_NESTED_HPP
#define ADBENCH_PARTICLE_NESTED_HPP

#include "../../native/scalar/enzyme.hpp"
#include "../../native/scalar/primal.cpp"


static double potential(const double *place, const double *w) { return particle_potential(place, w); }

struct by_reverse {
    static void gradient(const double *w, const double *place, double *out) {
        out[0] = out[1] = 0.0;
        __enzyme_autodiff((void *)potential, enzyme_dup, place, out, enzyme_const, w);
    }
};

struct by_forward {
    static void gradient(const double *w, const double *place, double *out) {
        const double along_x[2] = {1.0, 0.0}, along_y[2] = {0.0, 1.0};
        out[0] = __enzyme_fwddiff((void *)potential, enzyme_dup, place, along_x, enzyme_const, w);
        out[1] = __enzyme_fwddiff((void *)potential, enzyme_dup, place, along_y, enzyme_const, w);
    }
};

template <class Inner> double particle_slope(const double *w, double dw, double h) {
    return __enzyme_fwddiff((void *)particle_cost<double, Inner>, enzyme_dup, w, &dw, enzyme_const, h);
}

template <class Inner> void particle_gradient(int outer, const double *w, double *out, double h) {
    if (outer) {
        *out = 0.0;
        __enzyme_autodiff((void *)particle_cost<double, Inner>, enzyme_dup, w, out, enzyme_const, h);
    } else {
        *out = particle_slope<Inner>(w, 1.0, h);
    }
}

#endif
