/* The determinant of an ell by ell matrix by expansion along the first row, over and over: O(ell!) products.
 *
 * It is the problem det of CppAD's speed tests (det_by_minor) and of GradBench. The minor that is left is described by
 * the list of the columns that are still in it: next[c] follows column c, next[ell] is the first. */
#ifndef ADBENCH_DET_HPP
#define ADBENCH_DET_HPP

#define DET_LARGEST 31

struct problem {
    int ell;
    const double *x;
    double *value, *dx;
    const double *tx;
    double *dvalue;
};

#define PARAMETERS(p) ((p)->ell * (p)->ell)
#define ARGUMENTS(p, mark) mark((p)->ell)

/* The minor of rows ell - size .. ell - 1 and the columns in the list. */
template <class T> T minor_of(const T *x, int ell, int size, int *next) {
    const T *row = x + (ell - size) * ell;
    int previous = ell, column = next[ell];
    if (size == 1) {
        return row[column];
    }
    T result = 0.0;
    double sign = 1.0;
    for (int i = 0; i < size; i++) {
        next[previous] = next[column];
        result += sign * row[column] * minor_of(x, ell, size - 1, next);
        next[previous] = column;
        sign = -sign;
        previous = column;
        column = next[column];
    }
    return result;
}

template <class T> T objective(const T *x, int ell) {
    int next[DET_LARGEST + 1];
    for (int i = 0; i < ell; i++) {
        next[i] = i + 1;
    }
    next[ell] = 0;
    return minor_of(x, ell, ell, next);
}

#endif
