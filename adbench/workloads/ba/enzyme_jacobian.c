/* The objective and its sparse Jacobian by Enzyme: reverse mode with two lanes, one for each residual of an
 * observation. Its shadows are the two rows of a block that stays in cache until it is whole. */
#include <string.h>

#include "primal.c"

extern int enzyme_width, enzyme_const, enzyme_dupv, enzyme_out;
void __enzyme_autodiff_residuals(void *, ...);
double __enzyme_autodiff_weight(void *, ...);

void adbench_derivative(struct ba_problem *p) {
    const size_t row = sizeof(double) * BA_BLOCK;
    for (long i = 0; i < p->p; i++) {
        double block[2 * BA_BLOCK];
        memset(block, 0, sizeof block);
        double err[2], seeds[2][2] = {{1.0, 0.0}, {0.0, 1.0}};
        __enzyme_autodiff_residuals((void *)ba_reprojection, enzyme_width, 2, enzyme_dupv, row,
                                    &p->cams[(long)BA_CAMERA * p->obs[2 * i]], block, enzyme_dupv, row,
                                    &p->X[3L * p->obs[2 * i + 1]], block + BA_POINT_COLUMN, enzyme_dupv, row, &p->w[i],
                                    block + BA_WEIGHT_COLUMN, enzyme_const, &p->feats[2 * i], enzyme_dupv,
                                    sizeof seeds[0], err, seeds);
        memcpy(&p->jreprojection[2L * BA_BLOCK * i], block, sizeof block);
    }
    for (long i = 0; i < p->p; i++) {
        p->jweight[i] = __enzyme_autodiff_weight((void *)ba_weight_error, enzyme_out, p->w[i]);
    }
}
