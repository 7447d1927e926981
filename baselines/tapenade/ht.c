/* The Jacobian of HT by Tapenade's tangent mode, column after column.
 *
 * tapenade: -tangent -head "ht_objective(err)/(hand joints us)"
 */
#include <string.h>

#include "primal.c"

enum { THETA = HT_HAND + HT_JOINTS, OWN = 2 };

void ht_objective_d(const struct ht_model *model, const struct ht_data *data, const double *hand, const double *handd,
                    const double *joints, const double *jointsd, const double *us, const double *usd, double *err,
                    double *errd);

void adbench_derivative(struct ht_problem *p) {
    struct ht_model model = ht_model_of(p);
    struct ht_data data = ht_data_of(p);
    const long column = 3L * p->n, own = p->complicated ? OWN * (long)p->n : 0;
    double seed[THETA] = {0.0}, *each = (double *)calloc((size_t)own + 1, sizeof(double));
    for (int k = 0; k < THETA + (p->complicated ? OWN : 0); k++) {
        double *out = k < THETA ? p->jtheta + column * k : p->jus + column * (k - THETA);
        if (k < THETA) seed[k] = 1.0;
        for (long i = 0; i < own; i++) {
            each[i] = k - THETA == i % OWN ? 1.0 : 0.0;
        }
        ht_objective_d(&model, &data, p->theta, seed, p->theta + HT_HAND, seed + HT_HAND, p->us, each, p->err, out);
        if (k < THETA) seed[k] = 0.0;
    }
    free(each);
}
