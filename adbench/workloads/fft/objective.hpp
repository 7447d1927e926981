/* The weighted power of a discrete Fourier transform of n = 2^k numbers, 1 / (2 n) sum_k weights_k |X_k|^2.
 *
 * x and every transform are real and imaginary parts in turn; twiddles are exp(-2 pi i k / n) for k < n / 2. Two
 * algorithms, both by decimation in time: recursive and out of place, or iterative and in place. */
#ifndef ADBENCH_FFT_HPP
#define ADBENCH_FFT_HPP

#include "../../native/scalar/scratch.hpp"

struct problem {
    int n, recursive;
    const double *x, *twiddles, *weights;
    double *value, *dx;
    const double *tx;
    double *dvalue;
};

#define PARAMETERS(p) (2L * (p)->n)
#define ARGUMENTS(p, mark) mark((p)->n), mark((p)->recursive), mark((p)->twiddles), mark((p)->weights)

/* (a, b) := (a + w b, a - w b) */
template <class T> inline void butterfly(T *a, T *b, const double *w) {
    T real = b[0] * w[0] - b[1] * w[1], imaginary = b[0] * w[1] + b[1] * w[0];
    b[0] = a[0] - real;
    b[1] = a[1] - imaginary;
    a[0] += real;
    a[1] += imaginary;
}

/* The first K butterflies of a transform of N numbers, one after the other: a loop that the compiler runs. */
template <int N, int K> struct fft_butterflies {
    template <class T> static void run(int stride, T *__restrict out, const double *__restrict twiddles) {
        fft_butterflies<N, K - 1>::run(stride, out, twiddles);
        butterfly(out + 2 * (K - 1), out + N + 2 * (K - 1), twiddles + 2L * (K - 1) * stride);
    }
};

template <int N> struct fft_butterflies<N, 0> {
    template <class T> static void run(int, T *__restrict, const double *__restrict) {}
};

/* The transform of every stride-th of N numbers of x, N a constant: the recursion too is the compiler's. */
template <int N> struct fft_fixed {
    template <class T>
    static void run(int stride, const T *__restrict x, T *__restrict out, const double *__restrict twiddles) {
        fft_fixed<N / 2>::run(2 * stride, x, out, twiddles);
        fft_fixed<N / 2>::run(2 * stride, x + 2L * stride, out + N, twiddles);
        fft_butterflies<N, N / 2>::run(stride, out, twiddles);
    }
};

template <> struct fft_fixed<1> {
    template <class T> static void run(int, const T *__restrict x, T *__restrict out, const double *__restrict) {
        out[0] = x[0];
        out[1] = x[1];
    }
};

#define FFT_FIXED 16

/* The same for any power of two; it ends in transforms of FFT_FIXED numbers. */
template <class T>
void fft_recursive(int n, int stride, const T *__restrict x, T *__restrict out, const double *__restrict twiddles) {
    if (n == FFT_FIXED) {
        fft_fixed<FFT_FIXED>::run(stride, x, out, twiddles);
        return;
    }
    if (n == 1) {
        fft_fixed<1>::run(stride, x, out, twiddles);
        return;
    }
    int half = n / 2;
    fft_recursive(half, 2 * stride, x, out, twiddles);
    fft_recursive(half, 2 * stride, x + 2L * stride, out + 2L * half, twiddles);
    for (int k = 0; k < half; k++) {
        butterfly(out + 2L * k, out + 2L * (half + k), twiddles + 2L * k * stride);
    }
}

template <class T>
void fft_iterative(int n, const T *__restrict x, T *__restrict out, const double *__restrict twiddles) {
    for (int i = 0, reversed = 0; i < n; i++) {
        out[2L * reversed] = x[2L * i];
        out[2L * reversed + 1] = x[2L * i + 1];
        int bit = n >> 1;
        while (bit && (reversed & bit)) {
            reversed ^= bit;
            bit >>= 1;
        }
        reversed |= bit;
    }
    for (int half = 1; half < n; half *= 2) {
        int stride = n / (2 * half);
        for (int start = 0; start < n; start += 2 * half) {
            T *low = out + 2L * start, *high = low + 2L * half;
            for (int k = 0; k < half; k++) {
                butterfly(low + 2L * k, high + 2L * k, twiddles + 2L * k * stride);
            }
        }
    }
}

template <class T> void fft(int n, int recursive, const T *x, T *out, const double *twiddles) {
    if (recursive) {
        fft_recursive(n, 1, x, out, twiddles);
    } else {
        fft_iterative(n, x, out, twiddles);
    }
}

template <class T>
T objective(const T *__restrict x, int n, int recursive, const double *__restrict twiddles,
            const double *__restrict weights) {
    T *out = scratch<T>(2L * n);
    fft(n, recursive, x, out, twiddles);
    T result = 0.0;
    for (long k = 0; k < n; k++) {
        result += weights[k] * (out[2 * k] * out[2 * k] + out[2 * k + 1] * out[2 * k + 1]);
    }
    release(out, 2L * n);
    return 0.5 * result / n;
}

#endif
