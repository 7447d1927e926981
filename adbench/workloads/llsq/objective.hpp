/* Half the squared distance between a polynomial and the sign function at n equidistant points of [-1, 1]:
 *
 *   1/2 sum_i ( sign(t_i) - sum_j x_j t_i^j )^2,   t_i = -1 + 2 i / (n - 1)
 *
 * It is the problem llsq of cmpad and of GradBench. */
#ifndef ADBENCH_LLSQ_HPP
#define ADBENCH_LLSQ_HPP

struct problem {
    int n, m;
    const double *x;
    double *value, *dx;
    const double *tx;
    double *dvalue;
};

#define PARAMETERS(p) (p)->m
#define ARGUMENTS(p, mark) mark((p)->n), mark((p)->m)

static inline double llsq_sign(double t) { return t < 0.0 ? -1.0 : t > 0.0 ? 1.0 : 0.0; }

template <class T> T objective(const T *x, int n, int m) {
    T result = 0.0;
    for (int i = 0; i < n; i++) {
        double t = -1.0 + 2.0 * i / (n - 1.0);
        T residual = llsq_sign(t);
        double power = 1.0;
        for (int j = 0; j < m; j++) {
            residual -= x[j] * power;
            power *= t;
        }
        result += residual * residual;
    }
    return 0.5 * result;
}

#endif
