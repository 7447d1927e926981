/* Columns of a derivative that one call each gives, listed a second time in columns.py.
 *
 * A block of columns makes `moves` of them. Column j changes the entries parameter[j], parameter[j + apart], ... at once
 * (no output depends on two of them; only parameter[j] where apart is 0) and what value[i] shows of it goes to
 * column[j * column_step + i * row_step]. */
#ifndef ADBENCH_COLUMNS_H
#define ADBENCH_COLUMNS_H

#include <stdint.h>

struct columns {
    double *parameter;
    int64_t size, moves, apart;
    const double *value;
    int64_t outputs;
    double *column;
    int64_t column_step, row_step;
};

struct columns_request {
    void (*function)(void *);
    void *problem;
    int64_t blocks;
    const struct columns *columns;
    double *originals; /* as many as the largest parameter has */
    double *above;     /* as many as the objective has */
};

#endif
