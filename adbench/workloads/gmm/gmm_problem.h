/* One call of the GMM workload as a C struct: every compiled tool is entered as f(struct gmm_problem *), so that one
 * timing loop serves them all. The fields are listed a second time in workload.py; a test compares the layouts.
 *
 * err receives the objective; d* receive its gradient (every entry point sets them, the caller need not clear them);
 * t* are the tangents of the parameters and derr the tangent of the objective (forward mode). */
#ifndef ADBENCH_GMM_PROBLEM_H
#define ADBENCH_GMM_PROBLEM_H

struct gmm_problem {
    int d, k, n, m;
    double gamma;
    const double *alphas, *means, *icf, *x;
    double *err;
    double *dalphas, *dmeans, *dicf;
    const double *talphas, *tmeans, *ticf;
    double *derr;
};

#endif
