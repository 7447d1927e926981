/* The objective and its Jacobian by Enzyme, in forward mode, whose lanes' shadows of err are the columns themselves,
 * for functions that are differentiated before they are inlined: a skin whose address is passed on has its lanes apart,
 * and few of them at a time are best.
 *
 * The parameters of the joints take LANES lanes at a time: few enough that their skins stay in cache. Those of the
 * hand, of which the bones know nothing, take a pass of their own, and so do those that each point has of its own: two
 * lanes, each of which moves one of the two of all points at once. */
#include <string.h>

#include "primal.c"

enum { LANES = 5, OWN = 2 };

extern int enzyme_width, enzyme_const, enzyme_dupv;
void __enzyme_fwddiff_joints(void *, ...);
void __enzyme_fwddiff_hand(void *, ...);
void __enzyme_fwddiff_own(void *, ...);

void adbench_derivative(struct ht_problem *p) {
    struct ht_model model = ht_model_of(p);
    struct ht_data data = ht_data_of(p);
    const double *hand = p->theta, *joints = p->theta + HT_HAND;
    const size_t n3 = 3 * (size_t)p->n, column = sizeof(double) * n3;
    double seeds[HT_JOINTS][HT_JOINTS];
    memset(seeds, 0, sizeof seeds);
    for (int i = 0; i < HT_JOINTS; i++) {
        seeds[i][i] = 1.0;
    }
    for (int first = 0; first < HT_JOINTS; first += LANES) {
        __enzyme_fwddiff_joints((void *)ht_objective, enzyme_width, LANES, enzyme_const, &model, enzyme_const, &data,
                                enzyme_const, hand, enzyme_dupv, sizeof seeds[0], joints, seeds[first], enzyme_const,
                                p->us, enzyme_dupv, column, p->err, p->jtheta + n3 * (HT_HAND + first));
    }
    __enzyme_fwddiff_hand((void *)ht_objective, enzyme_width, HT_HAND, enzyme_const, &model, enzyme_const, &data,
                          enzyme_dupv, sizeof seeds[0], hand, seeds, enzyme_const, joints, enzyme_const, p->us,
                          enzyme_dupv, column, p->err, p->jtheta);
    if (!p->complicated) return;
    const size_t size = OWN * (size_t)p->n;
    double *each = (double *)malloc(sizeof(double) * OWN * size);
    for (size_t i = 0; i < size; i++) {
        each[i] = i % OWN == 0;
        each[size + i] = i % OWN == 1;
    }
    __enzyme_fwddiff_own((void *)ht_objective, enzyme_width, OWN, enzyme_const, &model, enzyme_const, &data,
                         enzyme_const, hand, enzyme_const, joints, enzyme_dupv, sizeof(double) * size, p->us, each,
                         enzyme_dupv, column, p->err, p->jus);
    free(each);
}
