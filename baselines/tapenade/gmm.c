/* The gradient of GMM's objective by Tapenade's reverse mode.
 *
 * tapenade: -reverse -head "gmm_objective(gmm_objective)/(alphas means icf)"
 */
#include <string.h>

#include "primal.c"

void gmm_objective_b(int d, int k, int n, const double *alphas, double *alphasb, const double *means, double *meansb,
                     const double *icf, double *icfb, const double *x, double gamma, int m, double gmm_objectiveb);

void adbench_derivative(struct gmm_problem *p) {
    size_t d = (size_t)p->d, k = (size_t)p->k;
    memset(p->dalphas, 0, sizeof(double) * k);
    memset(p->dmeans, 0, sizeof(double) * k * d);
    memset(p->dicf, 0, sizeof(double) * k * (d * (d + 1) / 2));
    gmm_objective_b(p->d, p->k, p->n, p->alphas, p->dalphas, p->means, p->dmeans, p->icf, p->dicf, p->x, p->gamma, p->m,
                    1.0);
}
