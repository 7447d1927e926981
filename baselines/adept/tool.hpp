/* Adept 2: one stack for all, which keeps its memory from call to call as its manual advises. */
#ifndef ADBENCH_TOOL_HPP
#define ADBENCH_TOOL_HPP

#include <adept.h>
#include <adept_arrays.h>

#define TOOL_VERSION "Adept " ADEPT_VERSION_STR

namespace tool {

inline adept::Stack stack;

/* The active copy of x; the recording of a function of it starts here. */
inline void start(long n, const double *x, adept::adouble *active) {
    adept::set_values(active, (adept::Index)n, x);
    stack.new_recording();
}

template <class F> double gradient(long n, const double *x, double *dx, const F &f) {
    numbers<adept::adouble> active(n);
    start(n, x, active);
    adept::adouble y = f(active.at);
    y.set_gradient(1.0);
    stack.reverse();
    adept::get_gradients(active.at, (adept::Index)n, dx);
    return y.value();
}

/* Adept gives Jacobians column after column, and goes the way, forward or backward, that is the shorter one. */
template <class F> void columns_of(long n, const double *x, long m, double *columns, const F &f) {
    numbers<adept::adouble> active(n), y(m);
    start(n, x, active);
    f(active.at, y.at);
    stack.independent(active.at, (adept::Index)n);
    stack.dependent(y.at, (adept::Index)m);
    stack.jacobian(columns);
    stack.clear_independents();
    stack.clear_dependents();
}

template <class F> void jacobian(long n, const double *x, long m, double *rows, const F &f) {
    numbers<double> columns(n * m);
    columns_of(n, x, m, columns, f);
    for (long j = 0; j < m; j++) {
        for (long i = 0; i < n; i++) {
            rows[j * n + i] = columns[i * m + j];
        }
    }
}

template <int K, class F>
void directions(long n, const double *x, const int *lane, long m, double *columns, const F &f) {
    numbers<adept::adouble> active(n), y(m);
    start(n, x, active);
    f(active.at, y.at);
    for (int c = 0; c < K; c++) {
        stack.clear_gradients();
        for (long i = 0; i < n; i++) {
            active[i].set_gradient(lane[i] == c ? 1.0 : 0.0);
        }
        stack.forward();
        adept::get_gradients(y.at, (adept::Index)m, &columns[c * m]);
    }
}

} // namespace tool

#endif
