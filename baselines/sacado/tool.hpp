/* Sacado: its reverse mode (Rad) for gradients and rows, its forward mode (Fad, of static size) for columns. */
#ifndef ADBENCH_TOOL_HPP
#define ADBENCH_TOOL_HPP

/* A distribution's Trilinos joins Sacado with its other packages, down to MPI; numbers alone need none of them. */
#include <Sacado_ConfigDefs.h>
#undef HAVE_SACADO_KOKKOSCORE
#undef HAVE_SACADO_KOKKOSCONTAINERS
#undef HAVE_SACADO_TEUCHOSCORE
#undef HAVE_SACADO_TEUCHOSCOMM
#undef HAVE_SACADO_TEUCHOSNUMERICS
#undef HAVE_SACADO_TEUCHOSKOKKOSCOMM
#undef HAVE_SACADO_VIEW_SPEC
#include <Sacado_Fad_SFad.hpp>
#include <Sacado_trad.hpp>

#if __has_include(<Trilinos_version.h>)
#include <Trilinos_version.h>
#define TOOL_VERSION "Sacado of Trilinos " TRILINOS_VERSION_STRING
#else
#define TOOL_VERSION "Sacado"
#endif

namespace tool {

template <class T> using reverse = Sacado::Rad::ADvar<T>;

template <class F> double gradient(long n, const double *x, double *dx, const F &f) {
    numbers<reverse<double>> active(n);
    for (long i = 0; i < n; i++) {
        active[i] = x[i];
    }
    reverse<double> y = f(active.at);
    reverse<double>::Outvar_Gradcomp(y);
    for (long i = 0; i < n; i++) {
        dx[i] = active[i].adj();
    }
    return y.val();
}

template <class F> void jacobian(long n, const double *x, long m, double *rows, const F &f) {
    numbers<reverse<double>> active(n), y(m);
    for (long i = 0; i < n; i++) {
        active[i] = x[i];
    }
    f(active.at, y.at);
    // All outputs are given weights each time: what an earlier sweep left in one of them would count again.
    numbers<reverse<double> *> outputs(m);
    numbers<double> weights(m);
    for (long j = 0; j < m; j++) {
        outputs[j] = &y[j];
        weights[j] = 0.0;
    }
    for (long j = 0; j < m; j++) {
        weights[j] = 1.0;
        reverse<double>::Weighted_Gradcomp((size_t)m, outputs, weights);
        weights[j] = 0.0;
        for (long i = 0; i < n; i++) {
            rows[j * n + i] = active[i].adj();
        }
    }
}

template <int K, class F>
void directions(long n, const double *x, const int *lane, long m, double *columns, const F &f) {
    typedef Sacado::Fad::SFad<double, K> forward;
    numbers<forward> active(n), y(m);
    for (long i = 0; i < n; i++) {
        active[i] = forward(K, lane[i], x[i]);
    }
    f(active.at, y.at);
    for (long j = 0; j < m; j++) {
        for (int c = 0; c < K; c++) {
            columns[c * m + j] = y[j].dx(c);
        }
    }
}

/* Forward mode inside of reverse mode: each adjoint has the direction's derivative beside it. */
template <class F> void newton(long n, const double *x, double *dx, double *ones, const F &f) {
    typedef Sacado::Fad::SFad<double, 1> forward;
    numbers<reverse<forward>> active(n);
    for (long i = 0; i < n; i++) {
        active[i] = forward(1, 0, x[i]);
    }
    reverse<forward> y = f(active.at);
    reverse<forward>::Outvar_Gradcomp(y);
    for (long i = 0; i < n; i++) {
        dx[i] = active[i].adj().val();
        ones[i] = active[i].adj().dx(0);
    }
}

} // namespace tool

#endif
