/* CppAD: an ADFun is recorded and swept; NDEBUG, which its speed tests set, leaves its checks of arguments out. */
#ifndef ADBENCH_TOOL_HPP
#define ADBENCH_TOOL_HPP

#include <cppad/cppad.hpp>

#define TOOL_VERSION CPPAD_PACKAGE_STRING

namespace tool {

typedef CppAD::AD<double> number;
typedef CppAD::vector<double> doubles;
typedef CppAD::vector<number> actives;

/* The recording of a function of n numbers with m values; its values at x are known from recording it. */
template <class F> void record(long n, const double *x, long m, CppAD::ADFun<double> &recorded, const F &f) {
    actives active((size_t)n), y((size_t)m);
    for (long i = 0; i < n; i++) {
        active[(size_t)i] = x[i];
    }
    CppAD::Independent(active);
    f(active.data(), y.data());
    recorded.Dependent(active, y);
}

template <class F> struct as_values {
    const F &f;

    template <class T> void operator()(const T *x, T *y) const { *y = f(x); }
};

inline doubles vector_of(long n, const double *x) {
    doubles made((size_t)n);
    for (long i = 0; i < n; i++) {
        made[(size_t)i] = x[i];
    }
    return made;
}

template <class F> double gradient(long n, const double *x, double *dx, const F &f) {
    CppAD::ADFun<double> recorded;
    record(n, x, 1, recorded, as_values<F>{f});
    double value = recorded.Forward(0, vector_of(n, x))[0];
    doubles weight(1);
    weight[0] = 1.0;
    doubles found = recorded.Reverse(1, weight);
    for (long i = 0; i < n; i++) {
        dx[i] = found[(size_t)i];
    }
    return value;
}

template <class F> void jacobian(long n, const double *x, long m, double *rows, const F &f) {
    CppAD::ADFun<double> recorded;
    record(n, x, m, recorded, f);
    recorded.Forward(0, vector_of(n, x));
    doubles weight((size_t)m);
    for (long j = 0; j < m; j++) {
        for (long i = 0; i < m; i++) {
            weight[(size_t)i] = i == j ? 1.0 : 0.0;
        }
        doubles row = recorded.Reverse(1, weight);
        for (long i = 0; i < n; i++) {
            rows[j * n + i] = row[(size_t)i];
        }
    }
}

/* All directions in one sweep forward. */
template <int K, class F>
void directions(long n, const double *x, const int *lane, long m, double *columns, const F &f) {
    CppAD::ADFun<double> recorded;
    record(n, x, m, recorded, f);
    recorded.Forward(0, vector_of(n, x));
    doubles seeds((size_t)(n * K));
    for (long i = 0; i < n; i++) {
        for (int c = 0; c < K; c++) {
            seeds[(size_t)(i * K + c)] = lane[i] == c ? 1.0 : 0.0;
        }
    }
    doubles slopes = recorded.Forward(1, K, seeds);
    for (long j = 0; j < m; j++) {
        for (int c = 0; c < K; c++) {
            columns[c * m + j] = slopes[(size_t)(j * K + c)];
        }
    }
}

template <class F> void newton(long n, const double *x, double *dx, double *ones, const F &f) {
    CppAD::ADFun<double> recorded;
    record(n, x, 1, recorded, as_values<F>{f});
    doubles direction((size_t)n), weight(1);
    for (long i = 0; i < n; i++) {
        direction[(size_t)i] = 1.0;
    }
    weight[0] = 1.0;
    recorded.Forward(0, vector_of(n, x));
    recorded.Forward(1, direction);
    // For each x[i], the derivative of the value along the direction and that of the value, in this order of orders.
    doubles found = recorded.Reverse(2, weight);
    for (long i = 0; i < n; i++) {
        dx[i] = found[(size_t)(2 * i + 1)];
        ones[i] = found[(size_t)(2 * i)];
    }
}

} // namespace tool

#endif
