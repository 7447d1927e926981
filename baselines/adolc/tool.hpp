/* ADOL-C: a trace of the operations, and its drivers on that trace. */
#ifndef ADBENCH_TOOL_HPP
#define ADBENCH_TOOL_HPP

#include <adolc/adolc.h>

#define TOOL_VERSION "ADOL-C"

namespace tool {

enum { TAPE = 1 };

/* A trace longer than its buffers, half a million entries by default, goes to disk; its user's guide advises larger ones
 * then. They grow after the first such trace, up to some GiB in all: larger ones make short traces slower. */
inline unsigned long buffer = 1 << 19;

inline void start(int keep) { trace_on(TAPE, keep, buffer, buffer, buffer, buffer); }

inline void stop() {
    trace_off();
    size_t said[STAT_SIZE];
    tapestats(TAPE, said);
    while (buffer < 1 << 28 && (said[NUM_OPERATIONS] > buffer || said[NUM_LOCATIONS] > buffer ||
                                said[NUM_VALUES] > buffer || said[TAY_STACK_SIZE] > buffer)) {
        buffer *= 2;
    }
}

template <class F> double trace(long n, const double *x, int keep, const F &f) {
    double value;
    start(keep);
    {
        numbers<adouble> active(n);
        for (long i = 0; i < n; i++) {
            active[i] <<= x[i];
        }
        adouble y = f(active.at);
        y >>= value;
    }
    stop();
    return value;
}

template <class F> void trace(long n, const double *x, long m, int keep, const F &f) {
    double value;
    start(keep);
    {
        numbers<adouble> active(n), y(m);
        for (long i = 0; i < n; i++) {
            active[i] <<= x[i];
        }
        f(active.at, y.at);
        for (long j = 0; j < m; j++) {
            y[j] >>= value;
        }
    }
    stop();
}

/* Keeping the values while the trace is made saves a sweep forward over it. */
template <class F> double gradient(long n, const double *x, double *dx, const F &f) {
    double value = trace(n, x, 1, f), one = 1.0;
    fos_reverse(TAPE, 1, (int)n, &one, dx);
    return value;
}

template <class F> void jacobian(long n, const double *x, long m, double *rows, const F &f) {
    trace(n, x, m, 1, f);
    numbers<double> unit(m * m);
    numbers<double *> seeds(m), row(m);
    for (long j = 0; j < m; j++) {
        seeds[j] = &unit[j * m];
        row[j] = &rows[j * n];
        for (long i = 0; i < m; i++) {
            seeds[j][i] = i == j;
        }
    }
    fov_reverse(TAPE, (int)m, (int)n, (int)m, seeds, row);
}

template <int K, class F>
void directions(long n, const double *x, const int *lane, long m, double *columns, const F &f) {
    trace(n, x, m, 0, f);
    numbers<double> seed(n * K), slope(m * K), y(m);
    numbers<double *> seeds(n), slopes(m);
    for (long i = 0; i < n; i++) {
        seeds[i] = &seed[i * K];
        for (int c = 0; c < K; c++) {
            seeds[i][c] = lane[i] == c;
        }
    }
    for (long j = 0; j < m; j++) {
        slopes[j] = &slope[j * K];
    }
    numbers<double> at(n);
    for (long i = 0; i < n; i++) {
        at[i] = x[i];
    }
    fov_forward(TAPE, (int)m, (int)n, K, at, seeds, y, slopes);
    for (int c = 0; c < K; c++) {
        for (long j = 0; j < m; j++) {
            columns[c * m + j] = slopes[j][c];
        }
    }
}

/* One Taylor coefficient forward, and the reverse sweep of first order over it. */
template <class F> void newton(long n, const double *x, double *dx, double *ones, const F &f) {
    trace(n, x, 0, f);
    numbers<double> at(n), direction(n), result(2 * n);
    numbers<double *> results(n);
    for (long i = 0; i < n; i++) {
        at[i] = x[i];
        direction[i] = 1.0;
        results[i] = &result[2 * i];
    }
    double value, slope, one = 1.0;
    fos_forward(TAPE, 1, (int)n, 2, at, direction, &value, &slope);
    hos_reverse(TAPE, 1, (int)n, 1, &one, results);
    for (long i = 0; i < n; i++) {
        dx[i] = results[i][0];
        ones[i] = results[i][1];
    }
}

} // namespace tool

#endif
