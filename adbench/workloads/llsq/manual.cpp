/* Each point contributes -residual t^j to the derivative by x_j. */
#include <string.h>

#include "../../native/scalar/primal.cpp"
#include "../../native/scalar/scratch.hpp"

extern "C" void adbench_derivative(struct problem *p) {
    const int n = p->n, m = p->m;
    double result = 0.0, *__restrict powers = scratch<double>(m), *__restrict dx = p->dx;
    memset(p->dx, 0, sizeof(double) * (size_t)m);
    for (int i = 0; i < n; i++) {
        double t = -1.0 + 2.0 * i / (n - 1.0), residual = llsq_sign(t), power = 1.0;
        for (int j = 0; j < m; j++) {
            powers[j] = power;
            residual -= p->x[j] * power;
            power *= t;
        }
        for (int j = 0; j < m; j++) {
            dx[j] -= residual * powers[j];
        }
        result += residual * residual;
    }
    *p->value = 0.5 * result;
    release<double>(powers, m);
}
