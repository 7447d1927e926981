/* Central differences of any workload's objective, two calls for each of its columns. */
#include <math.h>

#include "columns.h"

/* Cube root of the machine epsilon. */
#define RELATIVE_STEP 6.0554544523933395e-06

static void move(const struct columns *c, int64_t j, int64_t apart, double step, const double *originals) {
    for (int64_t e = j; e < c->size; e += apart) {
        c->parameter[e] = originals[e] + step;
    }
}

static void one_difference(const struct columns_request *r, const struct columns *c, int64_t j) {
    int64_t apart = c->apart ? c->apart : c->size;
    double largest = 1.0;
    for (int64_t e = j; e < c->size; e += apart) {
        r->originals[e] = c->parameter[e];
        largest = fmax(largest, fabs(c->parameter[e]));
    }
    double step = RELATIVE_STEP * largest;
    /* What is added is what is divided by. */
    volatile double above = largest + step;
    step = above - largest;
    move(c, j, apart, step, r->originals);
    r->function(r->problem);
    for (int64_t i = 0; i < c->outputs; i++) {
        r->above[i] = c->value[i];
    }
    move(c, j, apart, -step, r->originals);
    r->function(r->problem);
    double *column = c->column + j * c->column_step;
    for (int64_t i = 0; i < c->outputs; i++) {
        column[i * c->row_step] = (r->above[i] - c->value[i]) / (2.0 * step);
    }
    for (int64_t e = j; e < c->size; e += apart) {
        c->parameter[e] = r->originals[e];
    }
}

void finite_differences(struct columns_request *r) {
    for (int64_t b = 0; b < r->blocks; b++) {
        for (int64_t j = 0; j < r->columns[b].moves; j++) {
            one_difference(r, &r->columns[b], j);
        }
    }
}
