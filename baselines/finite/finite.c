/* Central differences of any workload's objective: one parameter after the other, two calls each.
 *
 * parameters[a] has sizes[a] numbers; jacobian[a] receives, row after row, d value[o] / d parameters[a][j]. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

struct finite_request {
    void (*objective)(void *);
    void *problem;
    double *value;
    int64_t outputs;
    int64_t arrays;
    double **parameters;
    const int64_t *sizes;
    double **jacobian;
    double *scratch;
};

/* Cube root of the machine epsilon. */
#define RELATIVE_STEP 6.0554544523933395e-06

void finite_differences(struct finite_request *r) {
    for (int64_t a = 0; a < r->arrays; a++) {
        for (int64_t j = 0; j < r->sizes[a]; j++) {
            double *entry = &r->parameters[a][j];
            double original = *entry;
            double step = RELATIVE_STEP * fmax(1.0, fabs(original));
            double above = original + step, below = original - step;
            *entry = above;
            r->objective(r->problem);
            for (int64_t o = 0; o < r->outputs; o++) {
                r->scratch[o] = r->value[o];
            }
            *entry = below;
            r->objective(r->problem);
            for (int64_t o = 0; o < r->outputs; o++) {
                r->jacobian[a][o * r->sizes[a] + j] = (r->scratch[o] - r->value[o]) / (above - below);
            }
            *entry = original;
        }
    }
}
