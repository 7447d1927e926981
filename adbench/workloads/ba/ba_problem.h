/* One call of the BA workload as a C struct; the fields are listed a second time in workload.py, and a test compares
 * the layouts.
 *
 * err receives the 2 p residuals and the p errors of weights. The Jacobian is sparse: jreprojection[p][2][15] has the
 * 11 camera, 3 point and 1 weight columns of each residual and jweight[p] the diagonal of the weight rows; one after
 * the other they are the values of the Jacobian in compressed rows (CSR). t* are the tangents of the parameters and
 * derr the tangent of the objective (forward mode). */
#ifndef ADBENCH_BA_PROBLEM_H
#define ADBENCH_BA_PROBLEM_H

struct ba_problem {
    int n, m, p;
    const double *cams, *X, *w;
    const int *obs;
    const double *feats;
    double *err;
    double *jreprojection, *jweight;
    const double *tcams, *tX, *tw;
    double *derr;
};

enum { BA_BLOCK = 15, BA_POINT_COLUMN = 11, BA_WEIGHT_COLUMN = 14 };

#endif
