/* One call of the HT workload as a C struct; the fields are listed a second time in workload.py, and a test compares
 * the layouts.
 *
 * err[n][3] receives the residuals. The Jacobian lies column after column: jtheta[26][n][3], and, where the data is
 * complicated, jus[2][n][3], the two columns of each point's own parameters. t* are the tangents of the parameters and
 * derr the tangent of the objective (forward mode). */
#ifndef ADBENCH_HT_PROBLEM_H
#define ADBENCH_HT_PROBLEM_H

struct ht_problem {
    int n, bones, vertices, complicated, mirrored;
    const int *parents;
    const double *relatives, *inverses, *rest, *weights;
    const int *triangles, *correspondences;
    const double *points, *theta, *us;
    double *err;
    double *jtheta, *jus;
    const double *ttheta, *tus;
    double *derr;
};

#endif
