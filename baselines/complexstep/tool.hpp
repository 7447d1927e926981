/* Derivatives by complex steps: f(x + i h v) has h times the derivative along v as its imaginary part, and with no
 * subtraction h can be so small that the rest is below rounding. The rule is exact wherever f is analytic; comparisons
 * look at the real part. */
#ifndef ADBENCH_TOOL_HPP
#define ADBENCH_TOOL_HPP

#include <math.h>

#define TOOL_VERSION "complex step 1e-30"

/* A complex number of which the imaginary part is so small that its square is nothing. */
struct step_number {
    double re, im;

    step_number() {}
    step_number(double re, double im = 0.0) : re(re), im(im) {}
    step_number &operator+=(step_number b) { return re += b.re, im += b.im, *this; }
    step_number &operator-=(step_number b) { return re -= b.re, im -= b.im, *this; }
    step_number &operator*=(step_number b);
    step_number &operator/=(step_number b);
};

inline step_number operator-(step_number a) { return step_number(-a.re, -a.im); }
inline step_number operator+(step_number a, step_number b) { return step_number(a.re + b.re, a.im + b.im); }
inline step_number operator-(step_number a, step_number b) { return step_number(a.re - b.re, a.im - b.im); }
inline step_number operator*(step_number a, step_number b) {
    return step_number(a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re);
}
inline step_number operator/(step_number a, step_number b) {
    double inverse = 1.0 / b.re, quotient = a.re * inverse;
    return step_number(quotient, (a.im - quotient * b.im) * inverse);
}
inline step_number operator+(double a, step_number b) { return step_number(a + b.re, b.im); }
inline step_number operator+(step_number a, double b) { return step_number(a.re + b, a.im); }
inline step_number operator-(double a, step_number b) { return step_number(a - b.re, -b.im); }
inline step_number operator-(step_number a, double b) { return step_number(a.re - b, a.im); }
inline step_number operator*(double a, step_number b) { return step_number(a * b.re, a * b.im); }
inline step_number operator*(step_number a, double b) { return step_number(a.re * b, a.im * b); }
inline step_number operator/(double a, step_number b) { return step_number(a) / b; }
inline step_number operator/(step_number a, double b) { return step_number(a.re / b, a.im / b); }
inline step_number &step_number::operator*=(step_number b) { return *this = *this * b; }
inline step_number &step_number::operator/=(step_number b) { return *this = *this / b; }
inline bool operator<(step_number a, step_number b) { return a.re < b.re; }
inline bool operator>(step_number a, step_number b) { return a.re > b.re; }
inline bool operator<=(step_number a, step_number b) { return a.re <= b.re; }
inline bool operator>=(step_number a, step_number b) { return a.re >= b.re; }
inline bool operator==(step_number a, step_number b) { return a.re == b.re; }
inline bool operator!=(step_number a, step_number b) { return a.re != b.re; }

/* f(a + i b) = f(a) + i b f'(a) to first order, which is all that such a step leaves. */
inline step_number exp(step_number a) {
    double value = ::exp(a.re);
    return step_number(value, a.im * value);
}
inline step_number log(step_number a) { return step_number(::log(a.re), a.im / a.re); }
inline step_number sqrt(step_number a) {
    double value = ::sqrt(a.re);
    return step_number(value, 0.5 * a.im / value);
}
inline step_number sin(step_number a) { return step_number(::sin(a.re), a.im * ::cos(a.re)); }
inline step_number cos(step_number a) { return step_number(::cos(a.re), -a.im * ::sin(a.re)); }
inline step_number tanh(step_number a) {
    double value = ::tanh(a.re);
    return step_number(value, a.im * (1.0 - value * value));
}
inline step_number pow(step_number a, double power) {
    return step_number(::pow(a.re, power), a.im * power * ::pow(a.re, power - 1.0));
}

namespace tool {

const double STEP = 1e-30;

template <class F> double gradient(long n, const double *x, double *dx, const F &f) {
    numbers<step_number> moved(n);
    for (long i = 0; i < n; i++) {
        moved[i] = x[i];
    }
    double value = 0.0;
    for (long i = 0; i < n; i++) {
        moved[i].im = STEP;
        step_number y = f(moved.at);
        moved[i].im = 0.0;
        value = y.re;
        dx[i] = y.im / STEP;
    }
    return value;
}

template <class F> void jacobian(long n, const double *x, long m, double *rows, const F &f) {
    numbers<step_number> moved(n), y(m);
    for (long i = 0; i < n; i++) {
        moved[i] = x[i];
    }
    for (long i = 0; i < n; i++) {
        moved[i].im = STEP;
        f(moved.at, y.at);
        moved[i].im = 0.0;
        for (long j = 0; j < m; j++) {
            rows[j * n + i] = y[j].im / STEP;
        }
    }
}

template <int K, class F>
void directions(long n, const double *x, const int *lane, long m, double *columns, const F &f) {
    numbers<step_number> moved(n), y(m);
    for (int c = 0; c < K; c++) {
        for (long i = 0; i < n; i++) {
            moved[i] = step_number(x[i], lane[i] == c ? STEP : 0.0);
        }
        f(moved.at, y.at);
        for (long j = 0; j < m; j++) {
            columns[c * m + j] = y[j].im / STEP;
        }
    }
}

} // namespace tool

#endif
