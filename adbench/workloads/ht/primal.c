/* Entry points of the objective alone, for tools that need nothing but its values. */
#include "ht.c"
#include "ht_problem.h"

int adbench_problem_bytes(void) { return (int)sizeof(struct ht_problem); }

static struct ht_model ht_model_of(const struct ht_problem *p) {
    struct ht_model model = {p->bones,    p->vertices, p->mirrored, p->parents,  p->relatives,
                             p->inverses, p->rest,     p->weights,  p->triangles};
    return model;
}

static struct ht_data ht_data_of(const struct ht_problem *p) {
    struct ht_data data = {p->n, p->complicated, p->correspondences, p->points};
    return data;
}

void adbench_primal(struct ht_problem *p) {
    struct ht_model model = ht_model_of(p);
    struct ht_data data = ht_data_of(p);
    ht_objective(&model, &data, p->theta, p->theta + HT_HAND, p->us, p->err);
}
