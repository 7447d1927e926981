/* Each point contributes -residual t^j to the derivative by x_j. */
#include <string.h>

#include "../../native/scalar/primal.cpp"

extern "C" void adbench_derivative(struct problem *p) {
    const int n = p->n, m = p->m;
    double result = 0.0;
    memset(p->dx, 0, sizeof(double) * (size_t)m);
    for (int i = 0; i < n; i++) {
        double t = -1.0 + 2.0 * i / (n - 1.0), residual = llsq_sign(t), power = 1.0;
        for (int j = 0; j < m; j++) {
            residual -= p->x[j] * power;
            power *= t;
        }
        power = 1.0;
        for (int j = 0; j < m; j++) {
            p->dx[j] -= residual * power;
            power *= t;
        }
        result += residual * residual;
    }
    *p->value = 0.5 * result;
}
