/* The derivative of a determinant by entry (i, j) is its cofactor: det A (A^-1)_ji, by Gauss-Jordan elimination. */
#include <math.h>

#include "../../native/scalar/primal.cpp"

extern "C" void adbench_derivative(struct problem *p) {
    const int n = p->ell;
    double a[DET_LARGEST][2 * DET_LARGEST], det = 1.0;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            a[i][j] = p->x[i * n + j];
            a[i][n + j] = i == j;
        }
    }
    for (int k = 0; k < n; k++) {
        int pivot = k;
        for (int i = k + 1; i < n; i++) {
            if (fabs(a[i][k]) > fabs(a[pivot][k])) pivot = i;
        }
        if (pivot != k) {
            for (int j = 0; j < 2 * n; j++) {
                double kept = a[k][j];
                a[k][j] = a[pivot][j];
                a[pivot][j] = kept;
            }
            det = -det;
        }
        det *= a[k][k];
        double scale = 1.0 / a[k][k];
        for (int j = 0; j < 2 * n; j++) {
            a[k][j] *= scale;
        }
        for (int i = 0; i < n; i++) {
            double factor = a[i][k];
            if (i == k) continue;
            for (int j = 0; j < 2 * n; j++) {
                a[i][j] -= factor * a[k][j];
            }
        }
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            p->dx[i * n + j] = det * a[j][n + i];
        }
    }
    *p->value = det;
}
