/* One call of the LSTM workload as a C struct; the fields are listed a second time in workload.py, and a test compares
 * the layouts.
 *
 * loss receives the objective; d* receive its gradient (every entry point sets them, the caller need not clear them);
 * t* are the tangents of the parameters and dloss the tangent of the objective (forward mode). */
#ifndef ADBENCH_LSTM_PROBLEM_H
#define ADBENCH_LSTM_PROBLEM_H

struct lstm_problem {
    int l, c, b;
    const double *main_params, *extra_params, *state, *sequence;
    double *loss;
    double *dmain_params, *dextra_params;
    const double *tmain_params, *textra_params;
    double *dloss;
};

#endif
