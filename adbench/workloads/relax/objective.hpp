/* Gauss-Seidel relaxation of a nonlinear diffusion problem on n by n points with a border of zeros, in place and row
 * after row:
 *
 *   u_ij := 1/4 (u_i-1,j + u_i+1,j + u_i,j-1 + u_i,j+1 + f_ij - kappa u_ij^3)
 *
 * Each step overwrites a value that its own derivative needs. The objective is half the mean square of the last u.
 * x holds f (n n) and the first u (n n). */
#ifndef ADBENCH_RELAX_HPP
#define ADBENCH_RELAX_HPP

#include "../../native/scalar/scratch.hpp"

struct problem {
    int n, sweeps;
    double kappa;
    const double *x;
    double *value, *dx;
    const double *tx;
    double *dvalue;
};

#define PARAMETERS(p) (2 * (p)->n * (p)->n)
#define ARGUMENTS(p, mark) mark((p)->n), mark((p)->sweeps), mark((p)->kappa)

template <class T> T objective(const T *__restrict x, int n, int sweeps, double kappa) {
    const T *f = x, *first = x + n * n;
    const int width = n + 2;
    T *u = scratch<T>(width * width);
    for (int i = 0; i < width; i++) {
        for (int j = 0; j < width; j++) {
            if (i == 0 || j == 0 || i > n || j > n) {
                u[i * width + j] = 0.0;
            } else {
                u[i * width + j] = first[(i - 1) * n + j - 1];
            }
        }
    }
    for (int sweep = 0; sweep < sweeps; sweep++) {
        for (int i = 1; i <= n; i++) {
            for (int j = 1; j <= n; j++) {
                T *here = u + i * width + j;
                T sum = here[-width] + here[width] + here[-1] + here[1] + f[(i - 1) * n + j - 1];
                *here = 0.25 * (sum - kappa * *here * *here * *here);
            }
        }
    }
    T result = 0.0;
    for (int i = 0; i < width * width; i++) {
        result += u[i] * u[i];
    }
    release(u, width * width);
    return 0.5 * result / (n * n);
}

#endif
