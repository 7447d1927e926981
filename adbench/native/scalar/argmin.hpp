/* Minimisation by gradient descent with an adaptive step, for the nested problems particle and saddle.
 *
 * The algorithm is that of the examples of Siskind and Pearlmutter, "Using polyvariant union-free flow analysis to compile
 * a higher-order functional-programming language with a first-class derivative operator to efficient Fortran-like code"
 * (2008), as GradBench has them: the step doubles after ten successes in a row and halves after a failure. */
#ifndef ADBENCH_SCALAR_ARGMIN_HPP
#define ADBENCH_SCALAR_ARGMIN_HPP

#include <math.h>

#define ARGMIN_SMALL 1e-5

/* Where `function` is least, from x on and in place. function.value(x) is a number, function.gradient(x, g) sets g. */
template <int N, class T, class Function> void argmin(const Function &function, T *x) {
    T value = function.value(x), gradient[N];
    double step = ARGMIN_SMALL;
    int successes = 0;
    function.gradient(x, gradient);
    for (;;) {
        T square = 0.0, moved[N], apart = 0.0;
        for (int i = 0; i < N; i++) {
            square += gradient[i] * gradient[i];
        }
        if (sqrt(square) <= ARGMIN_SMALL) return;
        if (successes == 10) {
            step *= 2.0;
            successes = 0;
        }
        for (int i = 0; i < N; i++) {
            moved[i] = x[i] - step * gradient[i];
            apart += (x[i] - moved[i]) * (x[i] - moved[i]);
        }
        if (sqrt(apart) <= ARGMIN_SMALL) return;
        T there = function.value(moved);
        if (there < value) {
            for (int i = 0; i < N; i++) {
                x[i] = moved[i];
            }
            value = there;
            function.gradient(x, gradient);
            successes++;
        } else {
            step *= 0.5;
            successes = 0;
        }
    }
}

#endif
