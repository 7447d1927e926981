/* A derivative by scalar forward mode: one tangent of the objective for each column. The parameters of the request's
 * columns are directions, which are zero before and after, and its values are the objective's tangent. */
#include "columns.h"

static void one_column(const struct columns_request *r, const struct columns *c, int64_t j) {
    int64_t apart = c->apart ? c->apart : c->size;
    for (int64_t e = j; e < c->size; e += apart) {
        c->parameter[e] = 1.0;
    }
    r->function(r->problem);
    double *column = c->column + j * c->column_step;
    for (int64_t i = 0; i < c->outputs; i++) {
        column[i * c->row_step] = c->value[i];
    }
    for (int64_t e = j; e < c->size; e += apart) {
        c->parameter[e] = 0.0;
    }
}

void forward_columns(struct columns_request *r) {
    for (int64_t b = 0; b < r->blocks; b++) {
        for (int64_t j = 0; j < r->columns[b].moves; j++) {
            one_column(r, &r->columns[b], j);
        }
    }
}
