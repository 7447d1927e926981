/* CoDiPack: RealReverse (a Jacobian tape with linear indices, what its documentation starts from) for gradients and
 * rows, RealForwardVec for columns, RealReverseGen over RealForward for second derivatives. */
#ifndef ADBENCH_TOOL_HPP
#define ADBENCH_TOOL_HPP

#include <codi.hpp>

#define TOOL_TEXT_OF(number) #number
#define TOOL_TEXT(number) TOOL_TEXT_OF(number)
#define TOOL_VERSION \
    "CoDiPack " TOOL_TEXT(CODI_MAJOR_VERSION) "." TOOL_TEXT(CODI_MINOR_VERSION) "." TOOL_TEXT(CODI_BUILD_VERSION)

namespace tool {

template <class Real> void start(long n, const double *x, Real *active) {
    auto &tape = Real::getTape();
    tape.setActive();
    for (long i = 0; i < n; i++) {
        active[i] = x[i];
        tape.registerInput(active[i]);
    }
}

template <class F> double gradient(long n, const double *x, double *dx, const F &f) {
    typedef codi::RealReverse Real;
    auto &tape = Real::getTape();
    double value;
    {
        numbers<Real> active(n);
        start(n, x, active.at);
        Real y = f(active.at);
        tape.registerOutput(y);
        tape.setPassive();
        y.setGradient(1.0);
        tape.evaluate();
        for (long i = 0; i < n; i++) {
            dx[i] = active[i].getGradient();
        }
        value = y.getValue();
    }
    tape.reset();
    return value;
}

template <class F> void jacobian(long n, const double *x, long m, double *rows, const F &f) {
    typedef codi::RealReverse Real;
    auto &tape = Real::getTape();
    {
        numbers<Real> active(n), y(m);
        start(n, x, active.at);
        f(active.at, y.at);
        for (long j = 0; j < m; j++) {
            tape.registerOutput(y[j]);
        }
        tape.setPassive();
        for (long j = 0; j < m; j++) {
            y[j].setGradient(1.0);
            tape.evaluate();
            for (long i = 0; i < n; i++) {
                rows[j * n + i] = active[i].getGradient();
            }
            tape.clearAdjoints();
        }
    }
    tape.reset();
}

template <int K, class F>
void directions(long n, const double *x, const int *lane, long m, double *columns, const F &f) {
    typedef codi::RealForwardVec<K> Real;
    numbers<Real> active(n), y(m);
    for (long i = 0; i < n; i++) {
        active[i] = x[i];
        active[i].gradient()[lane[i]] = 1.0;
    }
    f(active.at, y.at);
    for (long j = 0; j < m; j++) {
        for (int c = 0; c < K; c++) {
            columns[c * m + j] = y[j].getGradient()[c];
        }
    }
}

template <class F> void newton(long n, const double *x, double *dx, double *ones, const F &f) {
    typedef codi::RealReverseGen<codi::RealForward> Real;
    auto &tape = Real::getTape();
    {
        numbers<Real> active(n);
        start(n, x, active.at);
        for (long i = 0; i < n; i++) {
            active[i].value().gradient() = 1.0;
        }
        Real y = f(active.at);
        tape.registerOutput(y);
        tape.setPassive();
        y.gradient().value() = 1.0;
        tape.evaluate();
        for (long i = 0; i < n; i++) {
            dx[i] = active[i].getGradient().getValue();
            ones[i] = active[i].getGradient().getGradient();
        }
    }
    tape.reset();
}

} // namespace tool

#endif
