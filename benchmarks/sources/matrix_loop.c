/* One of the loops over matrices, named by LOOP, as the harness's timer calls it. */
#include "matrix_loops.h"
#include <string.h>
extern void __enzyme_autodiff(void *, ...);
extern int enzyme_dup, enzyme_const;

struct problem {
    int n;
    double *A, *x, *y, *dy, *seed, *dA, *dx;
};

static size_t length_of_y(int n, int is_matrix) { return is_matrix ? (size_t)n * n : (size_t)n; }

void adbench_primal(struct problem *p) { LOOP(p->A, p->x, p->y, p->n); }

void adbench_derivative(struct problem *p) {
    memset(p->dA, 0, sizeof(double) * p->n * p->n);
    memset(p->dx, 0, sizeof(double) * length_of_y(p->n, X_IS_MATRIX));
    memcpy(p->dy, p->seed, sizeof(double) * length_of_y(p->n, Y_IS_MATRIX));
    __enzyme_autodiff((void *)LOOP, enzyme_dup, p->A, p->dA, enzyme_dup, p->x, p->dx, enzyme_dup, p->y, p->dy,
                      enzyme_const, p->n);
}
