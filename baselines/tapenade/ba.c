/* The sparse Jacobian of BA by Tapenade's reverse mode: two sweeps for each observation, one for each weight.
 *
 * tapenade: -reverse -head "ba_reprojection(err)/(camera point weight) ba_weight_error(ba_weight_error)/(weight)"
 */
#include <string.h>

#include "primal.c"

void ba_reprojection_b(const double *camera, double *camerab, const double *point, double *pointb, const double *weight,
                       double *weightb, const double *feat, double *err, double *errb);
void ba_weight_error_b(double weight, double *weightb, double ba_weight_errorb);

void adbench_derivative(struct ba_problem *p) {
    memset(p->jreprojection, 0, sizeof(double) * 2 * BA_BLOCK * (size_t)p->p);
    for (long i = 0; i < p->p; i++) {
        for (int side = 0; side < 2; side++) {
            double *row = &p->jreprojection[BA_BLOCK * (2L * i + side)];
            double err[2], errb[2] = {side == 0, side == 1};
            ba_reprojection_b(&p->cams[(long)BA_CAMERA * p->obs[2 * i]], row, &p->X[3L * p->obs[2 * i + 1]],
                              row + BA_POINT_COLUMN, &p->w[i], row + BA_WEIGHT_COLUMN, &p->feats[2 * i], err, errb);
        }
    }
    for (long i = 0; i < p->p; i++) {
        p->jweight[i] = 0.0;
        ba_weight_error_b(p->w[i], &p->jweight[i], 1.0);
    }
}
