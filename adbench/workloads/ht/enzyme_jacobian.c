/* The objective and its Jacobian by Enzyme, in forward mode, whose lanes' shadows of err are the columns themselves.
 *
 * All parameters of the hand move at once, each in a lane of its own. The joints come first: those of a finger, of which
 * most bones know nothing, are then lanes side by side. The two parameters that each point has of its own take two
 * more lanes, each of which moves one of the two of all points; where points are so many that the other lanes' zeros
 * would cost more than posing the hand once more, they take a pass of their own. */
#include <string.h>

#include "primal.c"

enum { THETA = HT_HAND + HT_JOINTS, OWN = 2 };

extern int enzyme_width, enzyme_const, enzyme_dup, enzyme_dupv;
void __enzyme_fwddiff_theta(void *, ...);
void __enzyme_fwddiff_all(void *, ...);
void __enzyme_fwddiff_own(void *, ...);

/* f of each parameter of the hand, in the order of the lanes */
#define FINGER(f, k) f(k), f(k + 1), f(k + 2), f(k + 3)
#define JOINTS(f) FINGER(f, 6), FINGER(f, 10), FINGER(f, 14), FINGER(f, 18), FINGER(f, 22)
#define EACH(f) JOINTS(f), f(0), f(1), f(2), f(3), f(4), f(5)

#define SEED(k) seeds[k]
#define JOINT_SEED(k) seeds[k] + HT_HAND
#define COLUMN(k) p->jtheta + (k) * n3
#define NONE(k) none

void adbench_derivative(struct ht_problem *p) {
    struct ht_model model = ht_model_of(p);
    struct ht_data data = ht_data_of(p);
    const double *hand = p->theta, *joints = p->theta + HT_HAND;
    const size_t n3 = 3 * (size_t)p->n, size = OWN * (size_t)p->n;
    double seeds[THETA][THETA];
    memset(seeds, 0, sizeof seeds);
    for (int i = 0; i < THETA; i++) {
        seeds[i][i] = 1.0;
    }
    if (!p->complicated) {
        __enzyme_fwddiff_theta((void *)ht_objective, enzyme_width, THETA, enzyme_const, &model, enzyme_const, &data,
                               enzyme_dup, hand, EACH(SEED), enzyme_dup, joints, EACH(JOINT_SEED), enzyme_const, p->us,
                               enzyme_dup, p->err, EACH(COLUMN));
        return;
    }
    double *none = (double *)calloc((OWN + 1) * size, sizeof(double)), *each = none + size;
    for (size_t i = 0; i < size; i++) {
        each[i % OWN * size + i] = 1.0;
    }
    if (p->n < p->vertices) {
        __enzyme_fwddiff_all((void *)ht_objective, enzyme_width, THETA + OWN, enzyme_const, &model, enzyme_const, &data,
                             enzyme_dup, hand, EACH(SEED), seeds[HT_HAND], seeds[HT_HAND], enzyme_dup, joints,
                             EACH(JOINT_SEED), seeds[0] + HT_HAND, seeds[0] + HT_HAND, enzyme_dup, p->us, EACH(NONE),
                             each, each + size, enzyme_dup, p->err, EACH(COLUMN), p->jus, p->jus + n3);
    } else {
        __enzyme_fwddiff_theta((void *)ht_objective, enzyme_width, THETA, enzyme_const, &model, enzyme_const, &data,
                               enzyme_dup, hand, EACH(SEED), enzyme_dup, joints, EACH(JOINT_SEED), enzyme_const, p->us,
                               enzyme_dup, p->err, EACH(COLUMN));
        __enzyme_fwddiff_own((void *)ht_objective, enzyme_width, OWN, enzyme_const, &model, enzyme_const, &data,
                             enzyme_const, hand, enzyme_const, joints, enzyme_dupv, sizeof(double) * size, p->us, each,
                             enzyme_dupv, sizeof(double) * n3, p->err, p->jus);
    }
    free(none);
}
